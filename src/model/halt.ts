/** Places in the memory that a replayed program shares with its debugger's thread. */
export const READY = 0;
/** 1 while the program stands still. */
export const HALTED = 1;
/** Counts up: the program is about to end, and its debuggers are to leave; they have left. */
export const ENDING = 2;
