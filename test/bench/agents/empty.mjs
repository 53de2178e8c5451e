// Nothing: what is left is the start.
