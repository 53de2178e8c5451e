/** `replay <run>`: the recorded program again, with every answer from the recording. */
import { identities } from '../../store/keyring.ts';
import type { StoredRun } from '../../store/run-store.ts';
import { type Arguments, oneRun, pairs, parse } from '../arguments.ts';
import { requireWritable, writeReport } from '../replay/report-file.ts';
import { replayRun } from '../replay/replay-run.ts';
import { fetchBelow, findRun } from '../stores.ts';
import { replayChildren, wantsChildren } from './replay-children.ts';
import type { Partial as PartialReplay, PartialOptions } from './replay-partial.ts';

interface Values {
  readonly report?: string;
  readonly env?: string[];
  readonly node?: string;
  readonly sandbox?: string;
  readonly children?: string;
  readonly loose?: boolean;
  readonly realtime?: boolean;
  readonly until?: string;
  readonly inspect?: boolean;
  readonly step?: boolean;
}

export async function replay(args: readonly string[]): Promise<number> {
  const parsed = parse('replay', args, { report: { type: 'string' }, env: { type: 'string', multiple: true }, node: { type: 'string' }, sandbox: { type: 'string' }, children: { type: 'string' }, loose: { type: 'boolean' }, realtime: { type: 'boolean' }, until: { type: 'string' }, inspect: { type: 'boolean' }, step: { type: 'boolean' } }, { server: true });
  const selector = oneRun('replay', parsed);
  const { report: file, env, node, sandbox, children, loose, realtime = false, until, inspect = false, step = false } = parsed.values as Values;
  requireWritable(file);
  const withChildren = wantsChildren(children);
  const run = await findRun(parsed, selector);
  const isPartial = until !== undefined || inspect || step;
  const part = isPartial ? await stopping({ until, inspect, step }, parsed, run) : undefined;
  const { code, report } = await replayRun({ store: parsed.store, run, sandbox, node, loose, command: parsed.command, env: pairs('env', env), report: file, withChildren, realtime, ...(part && { part }) });
  if (!withChildren || report?.verdict !== 'identical' || report.stoppedAt !== undefined) return code;
  await fetchBelow(parsed, run.manifest.id);
  const whole = await replayChildren(parsed.store, report, realtime ? ['--realtime'] : []);
  if (file !== undefined) writeReport(file, whole.report);
  return whole.code === 0 ? code : whole.code;
}

/** What stops, and what tells where, is loaded for those replays alone. */
async function stopping(options: PartialOptions, { store }: Pick<Arguments, 'store'>, run: StoredRun): Promise<(complete: boolean) => PartialReplay | undefined> {
  const [{ partial }, { interpretRun }, { maskerOf }] = await Promise.all([import('./replay-partial.ts'), import('../interpreted.ts'), import('../masked.ts')]);
  return (complete) => {
    const interpreted = interpretRun(store, run, identities(process.env));
    const masker = maskerOf(interpreted);
    return partial(options, { runId: run.manifest.id, steps: interpreted.steps, complete, masked: (text) => masker.text(text) });
  };
}
