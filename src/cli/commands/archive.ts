/** `archive [<run>…]`: moves journals into the configured archive. Without a run: those whose time in the store is over. */
import { ConfigError } from '../../model/error.ts';
import { loadConfig } from '../../store/configuration.ts';
import type { ArchivePlace } from '../../store/retention/archive-place.ts';
import { isHere } from '../../store/retention/trees.ts';
import { parse } from '../arguments.ts';
import { carryOut, due, type Left, type Upkeep } from '../leaving.ts';
import { archiveOf, withUpkeep } from '../upkeep.ts';
import { report, wouldBe } from './prune.ts';

export async function archiveRuns(args: readonly string[]): Promise<number> {
  const parsed = parse('archive', args, { 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } }, { server: true });
  const { values, positionals, command } = parsed;
  if (command) throw new ConfigError('archive takes runs, not a command.');
  const dry = values['dry-run'] === true;
  const config = loadConfig(process.env, process.cwd());
  const place = await archiveOf(config, parsed);
  const { left, cap } = await withUpkeep(parsed, async (upkeep) => {
    const all: Left[] = [];
    if (positionals.length === 0) {
      const actions = (await due(upkeep, config)).filter((action) => action.do === 'archive');
      all.push(...(dry ? actions.flatMap(wouldBe) : await carryOut(upkeep, actions, () => Promise.resolve(place))));
    }
    for (const selector of positionals) all.push(...(await archiveOne(upkeep, selector, place, dry)));
    return { left: all, cap: upkeep.cap(config) };
  });
  process.stdout.write(values['json'] ? `${JSON.stringify(left, null, 2)}\n` : report(left, dry, '', cap));
  return left.some(({ did }) => did === 'kept') ? 4 : 0;
}

/** With what it started. */
async function archiveOne(upkeep: Upkeep, selector: string, place: ArchivePlace, dry: boolean): Promise<Left[]> {
  const named = await upkeep.find(selector);
  if (named.damage) throw named.damage;
  const runs = ((await upkeep.trees()).find(({ root }) => root.manifest.id === named.manifest.id)?.runs ?? [named]).filter(isHere);
  const going = runs.find(({ status }) => status === 'recording');
  if (going) throw new ConfigError(`archive: run ${going.manifest.id} is still being recorded. Archive it when it has ended.`);
  const left: Left[] = [];
  for (const run of runs) left.push(dry ? { run: run.manifest.id, did: 'archived', why: place.to, bytes: 0 } : await upkeep.archive(run, place, place.to));
  return left;
}
