/** Options of Node by which the runtime itself reads and writes files, past everything that a replay answers. */
const FILES = /^--(?:env-file|cpu-prof|heap-prof|heapsnapshot-|trace-event-|report-|diagnostic-dir|prof\b|redirect-warnings)/;
const SWITCHES = /^--(?:cpu-prof|heap-prof|prof|report-(?:compact|exclude-network|exclude-env|on-fatalerror|on-signal|uncaught-exception))$/;

/** @returns the options without those that make Node read variables, which are recorded, and write profiles, traces and reports */
export function withoutFiles(options: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < options.length; i++) {
    const option = options[i] as string;
    if (!FILES.test(option)) kept.push(option);
    else if (!option.includes('=') && !SWITCHES.test(option)) i++;
  }
  return kept;
}

/** How the harness is put in by hand. */
const OWN = /(?:^|\/)(?:replay-harness(?:\/require)?|loader\/register\.mjs|loader\/preload\.cjs)$/;
const LOADS = /^(?:-r|--require|--import)$/;

/** @returns whether an option loads the harness: its operand says so */
export function loadsHarness(name: string, operand: string): boolean {
  return LOADS.test(name) && OWN.test(operand);
}

/** @returns the options with the harness taken from where this one lies: the one that recorded may lie elsewhere, or be gone */
export function withThisHarness(options: readonly string[], dist: string): string[] {
  const here = (name: string): string => `${dist}/loader/${name === '--import' ? 'register.mjs' : 'preload.cjs'}`;
  return options.map((option, at) => {
    const before = options[at - 1] ?? '';
    if (loadsHarness(before, option)) return here(before);
    const [, name = '', operand = ''] = /^([^=]+)=(.*)$/s.exec(option) ?? [];
    return loadsHarness(name, operand) ? `${name}=${here(name)}` : option;
  });
}
