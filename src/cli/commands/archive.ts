/** `archive [<run>…]`: moves journals into the configured archive. Without a run: those whose time in the store is over. */
import { ConfigError } from '../../model/error.ts';
import { diskCap } from '../../model/retention.ts';
import { loadConfig } from '../../store/configuration.ts';
import { isHere, treesOf } from '../../store/retention/trees.ts';
import { parse } from '../arguments.ts';
import { configuredPlace } from '../archived.ts';
import { archive, carryOut, due, type Left } from '../leaving.ts';
import { report, wouldBe } from './prune.ts';

export async function archiveRuns(args: readonly string[]): Promise<number> {
  const { values, positionals, command, store } = parse('archive', args, { 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } });
  if (command) throw new ConfigError('archive takes runs, not a command.');
  const dry = values['dry-run'] === true;
  const config = loadConfig(process.env, process.cwd());
  const place = await configuredPlace(config, store);
  const left: Left[] = [];
  if (positionals.length === 0) {
    const actions = due(store, config).filter((action) => action.do === 'archive');
    left.push(...(dry ? actions.flatMap(wouldBe) : await carryOut(store, config, actions)));
  }
  for (const selector of positionals) {
    const { manifest: { id } } = store.find(selector);
    const runs = (treesOf(store).find(({ root }) => root.manifest.id === id)?.runs ?? [store.find(id)]).filter(isHere);
    const going = runs.find(({ status }) => status === 'recording');
    if (going) throw new ConfigError(`archive: run ${going.manifest.id} is still being recorded. Archive it when it has ended.`);
    for (const run of runs) left.push(dry ? { run: run.manifest.id, did: 'archived', why: place.to, bytes: 0 } : await archive(store, run, place, place.to));
  }
  process.stdout.write(values['json'] ? `${JSON.stringify(left, null, 2)}\n` : report(left, dry, '', diskCap(config.limits)));
  return left.some(({ did }) => did === 'kept') ? 4 : 0;
}
