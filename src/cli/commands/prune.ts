/** `prune`: what retention and the disk cap of the configuration ask for; `--erase`: one run, for good. */
import type { Config } from '../../model/config.ts';
import { ConfigError } from '../../model/error.ts';
import { loadConfig } from '../../store/configuration.ts';
import type { Action } from '../../store/retention/plan.ts';
import { noRun, oneRun, parse } from '../arguments.ts';
import { carryOut, due, type Left, sizeText, type Upkeep } from '../leaving.ts';
import { archiveOf, withUpkeep } from '../upkeep.ts';

export async function prune(args: readonly string[]): Promise<number> {
  const parsed = parse('prune', args, { erase: { type: 'boolean' }, 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } }, { server: true });
  const { erase, 'dry-run': dry, json } = parsed.values as { erase?: boolean; 'dry-run'?: boolean; json?: boolean };
  const selector = erase ? oneRun('prune', parsed) : undefined;
  if (selector === undefined) noRun('prune', parsed);
  const config = loadConfig(process.env, process.cwd());
  const { left, cap } = await withUpkeep(parsed, async (upkeep) => ({
    left: selector === undefined ? await pruned(upkeep, config, dry === true, () => archiveOf(config, parsed)) : await erased(upkeep, selector, dry === true),
    cap: upkeep.cap(config),
  }));
  if (json) process.stdout.write(`${JSON.stringify(left, null, 2)}\n`);
  else process.stdout.write(report(left, dry === true, config.retention === undefined ? 'retention is not configured, so that age removes nothing; ' : '', cap));
  return left.some(({ did }) => did === 'kept') ? 4 : 0;
}

async function pruned(upkeep: Upkeep, config: Config, dry: boolean, place: () => ReturnType<typeof archiveOf>): Promise<readonly Left[]> {
  const actions = await due(upkeep, config);
  return dry ? actions.flatMap(wouldBe) : carryOut(upkeep, actions, place);
}

export function wouldBe({ tree, do: what, why }: Action): Left[] {
  return tree.runs.filter(({ manifest }) => !manifest.gone).map(({ manifest }, index) => ({ run: manifest.id, did: what === 'archive' ? 'archived' : 'removed', why, bytes: index === 0 ? tree.bytes : 0 }));
}

/** With all that its child processes recorded. */
async function erased(upkeep: Upkeep, selector: string, dry: boolean): Promise<readonly Left[]> {
  const { manifest: { id } } = await upkeep.find(selector);
  const tree = (await upkeep.trees()).find(({ runs }) => runs.some(({ manifest }) => manifest.id === id));
  const runs = tree?.root.manifest.id === id ? tree.runs : (tree?.runs.filter(({ manifest }) => manifest.id === id) ?? []);
  const going = runs.find(({ status }) => status === 'recording');
  if (going) throw new ConfigError(`prune --erase: run ${going.manifest.id} is still being recorded. Erase it when it has ended.`);
  const left: Left[] = [];
  for (const run of runs) left.push(dry ? { run: run.manifest.id, did: 'removed', why: 'erased', bytes: 0 } : await upkeep.remove(run, 'erased'));
  return left;
}

export function report(left: readonly Left[], dry: boolean, about: string, cap: number): string {
  if (left.length === 0) return `nothing to do: ${about}the disk cap is ${cap === Infinity ? 'none' : sizeText(cap)}\n`;
  const said = { archived: dry ? 'would be archived' : 'archived', removed: dry ? 'would be removed for good' : 'removed for good, with its key', kept: 'KEPT, it cannot be archived' } as const;
  return left.map(({ run, did, why, bytes }) => `${run}  ${said[did]}: ${why}${bytes > 0 ? ` (${sizeText(bytes)})` : ''}\n`).join('');
}
