/** For CI servers: JUnit's XML, one test case a run. */
import { isGood, type Reporter, type VerifiedRun } from '../result.ts';

export const junit: Reporter = {
  report({ runs, durationMs }) {
    const errors = runs.filter(({ verdict }) => verdict === 'failed').length;
    const failures = runs.filter((run) => !isGood(run)).length - errors;
    const totals = `tests="${runs.length}" failures="${failures}" errors="${errors}" time="${seconds(durationMs)}"`;
    return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="replay-harness" ${totals}>\n  <testsuite name="replay-harness verify" ${totals}>\n${runs.map(testCase).join('')}  </testsuite>\n</testsuites>\n`;
  },
};

function testCase(run: VerifiedRun): string {
  const { id, file, name, agent, verdict, durationMs } = run;
  const title = [file, name, id].filter((part) => part !== null).join(' ');
  const head = `    <testcase classname="${attribute(agent)}" name="${attribute(title)}"${file === null ? '' : ` file="${attribute(file)}"`} time="${seconds(durationMs)}"`;
  if (isGood(run)) return `${head}/>\n`;
  const tag = verdict === 'failed' ? 'error' : 'failure';
  return `${head}>\n      <${tag} type="${verdict}" message="${attribute(firstLine(run.said))}">${text(run.said)}</${tag}>\n    </testcase>\n`;
}

function firstLine(said: string): string {
  return said.split('\n', 1)[0] ?? '';
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** XML 1.0 has no control characters but tab and line ends, and no lone surrogates. */
function text(value: string): string {
  return value.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function attribute(value: string): string {
  return text(value).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;').replaceAll('\r', '&#13;');
}
