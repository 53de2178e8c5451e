/** `restore <run>`: brings the journal of a run, and of those below it, back from the archive. */
import { payloadOf, requireJournal } from '../../store/absent.ts';
import { treesOf } from '../../store/retention/trees.ts';
import { bringBack } from '../archived.ts';
import { oneRun, parse } from '../arguments.ts';

export async function restore(args: readonly string[]): Promise<number> {
  const parsed = parse('restore', args, { 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } });
  const { store, values } = parsed;
  const run = store.find(oneRun('restore', parsed));
  if (run.manifest.gone) requireJournal(run.manifest);
  const runs = treesOf(store).find(({ root }) => root.manifest.id === run.manifest.id)?.runs ?? [run];
  const archived = runs.filter(({ manifest }) => payloadOf(manifest) === 'archived');
  if (!values['dry-run']) for (const one of archived) await bringBack(store, one);
  const restored = archived.map(({ manifest }) => manifest.id);
  if (values['json']) process.stdout.write(`${JSON.stringify({ restored }, null, 2)}\n`);
  else if (restored.length === 0) process.stdout.write(`run ${run.manifest.id} lies in the store: nothing to do\n`);
  else for (const id of restored) process.stdout.write(`${id}  ${values['dry-run'] ? 'would be brought back' : 'brought back'}\n`);
  return 0;
}
