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
