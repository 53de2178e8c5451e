/** Options of Node by which the runtime itself writes files, past everything that a replay answers. */
const WRITING = /^--(?:cpu-prof|heap-prof|heapsnapshot-|trace-event-|report-|diagnostic-dir|prof\b|redirect-warnings)/;
const SWITCHES = /^--(?:cpu-prof|heap-prof|prof|report-(?:compact|exclude-network|exclude-env|on-fatalerror|on-signal|uncaught-exception))$/;

/** @returns the options without those that make Node write profiles, traces and reports */
export function withoutWriting(options: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < options.length; i++) {
    const option = options[i] as string;
    if (!WRITING.test(option)) kept.push(option);
    else if (!option.includes('=') && !SWITCHES.test(option)) i++;
  }
  return kept;
}
