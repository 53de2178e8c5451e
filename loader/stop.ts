/** A file of its own: debuggers are told to step over all other files of ours, and a `debugger` statement there has no effect. */

/** Stands still where the command line's debugger looks for it by this name. @returns what it wrote into `stop.answer` */
export function stopHere(told: string): string {
  const stop = { told, answer: 'on' };
  debugger;
  return stop.answer;
}
