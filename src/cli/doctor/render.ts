/** A diagnosis for people. */
import { counted, type Paint, visible } from '../render/text.ts';
import type { Diagnosis, Effect } from './finding.ts';

const EFFECTS: Readonly<Record<Effect, string>> = { stops: 'a replay stops there', differs: 'a replay may differ, or is not byte for byte', live: 'replays are not touched; live calls are' };

/** @param good what is as it should be */
export function renderDiagnosis({ subject, findings, rules }: Diagnosis, good: readonly string[], paint: Paint): string {
  const title = 'run' in subject ? `Run ${subject.run}` : 'command' in subject ? `Command ${subject.command.join(' ')}` : `Machine ${subject.machine}`;
  const blocks = findings.flatMap(({ rule, effect, run, step, what, where, wayOut }) => [
    `${effect === 'stops' ? paint('red', '✗') : paint('yellow', '!')} ${paint('bold', rule)}: ${visible(what)}`,
    ...(where === '' ? [] : [`    at ${visible(where)}`]),
    ...('command' in subject || step === null || run === null ? [] : [`    step ${step}`]),
    `    ${paint('dim', `${EFFECTS[effect]}.`)} Way out: ${visible(wayOut)}`,
  ]);
  const end = findings.length === 0 ? `${paint('green', '✓')} nothing found (looked for ${rules.join(', ')})` : counted(findings.length, 'finding');
  return [paint('bold', visible(title)), ...good.map((one) => `${paint('green', '✓')} ${visible(one)}`), ...blocks, ...(findings.length > 0 ? [''] : []), end, ''].join('\n');
}
