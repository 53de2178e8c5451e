/** For GitHub Actions: an annotation a run that is not identical, at the place in the code where there is one or else at its bundle, and a line for the log. */
import { isAbsolute, relative } from 'node:path';
import { counted, duration } from '../../render/text.ts';
import { countsOf, isGood, type Reporter, titleOf, type VerifiedRun } from '../result.ts';

/** @param folder the checkout: annotations name files below it */
export function github(folder: string): Reporter {
  return {
    report: ({ runs, durationMs }) => `${runs.filter((run) => !isGood(run)).map((run) => `${annotation(run, folder)}\n`).join('')}replay-harness verify: ${counted(runs.length, 'run')}: ${countsOf(runs)} (${duration(durationMs)})\n`,
  };
}

function annotation(run: VerifiedRun, folder: string): string {
  const place = placeOf(run, folder);
  const bundle = run.file !== null && isAbsolute(run.file) ? relative(folder, run.file) : run.file;
  const title = `replay ${run.verdict}: ${titleOf(run)}`;
  return `::error ${[...(place ? [`file=${property(place.file)}`, `line=${place.line}`, `col=${place.column}`] : bundle === null ? [] : [`file=${property(bundle)}`]), `title=${property(title)}`].join(',')}::${data(run.said)}`;
}

/** The innermost frame of the agent that lies in the checkout. */
function placeOf({ report }: VerifiedRun, folder: string): { file: string; line: string; column: string } | undefined {
  for (const frame of report?.stack ?? []) {
    const [, url, line, column] = /\(?(file:\/\/[^()]+|\/[^()]+):(\d+):(\d+)\)?$/.exec(frame) ?? [];
    const path = url && decodeURI(url.replace(/^file:\/\//, ''));
    if (path?.startsWith(`${folder}/`)) return { file: path.slice(folder.length + 1), line: line as string, column: column as string };
  }
  return undefined;
}

/** GitHub's own escapes of workflow commands. */
function data(value: string): string {
  return value.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(value: string): string {
  return data(value).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
