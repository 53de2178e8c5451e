// Nothing: what the start of Node itself costs.
