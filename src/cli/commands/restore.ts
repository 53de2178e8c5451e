/** `restore <run>`: brings the journal of a run, and of those below it, back from the archive. */
import { payloadOf, requireJournal } from '../../store/absent.ts';
import { oneRun, parse } from '../arguments.ts';
import { withUpkeep } from '../upkeep.ts';

export async function restore(args: readonly string[]): Promise<number> {
  const parsed = parse('restore', args, { 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } }, { server: true });
  const { values } = parsed;
  const selector = oneRun('restore', parsed);
  const { id, restored } = await withUpkeep(parsed, async (upkeep) => {
    const run = await upkeep.find(selector);
    if (run.manifest.gone) requireJournal(run.manifest);
    const runs = (await upkeep.trees()).find(({ root }) => root.manifest.id === run.manifest.id)?.runs ?? [run];
    const archived = runs.filter(({ manifest }) => payloadOf(manifest) === 'archived');
    if (!values['dry-run']) for (const one of archived) await upkeep.restore(one);
    return { id: run.manifest.id, restored: archived.map(({ manifest }) => manifest.id) };
  });
  if (values['json']) process.stdout.write(`${JSON.stringify({ restored }, null, 2)}\n`);
  else if (restored.length === 0) process.stdout.write(`run ${id} lies in the store: nothing to do\n`);
  else for (const one of restored) process.stdout.write(`${one}  ${values['dry-run'] ? 'would be brought back' : 'brought back'}\n`);
  return 0;
}
