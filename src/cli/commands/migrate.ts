/** `migrate`: the store's database in this version's shape. */
import { noRun, parse } from '../arguments.ts';

export async function migrate(args: readonly string[]): Promise<number> {
  const parsed = parse('migrate', args, { json: { type: 'boolean' } }, { server: true });
  noRun('migrate', parsed);
  const { migrateStore } = await import('../../store/sql/stores.ts');
  const { version, applied } = await migrateStore(parsed.location, (holder) => process.stderr.write(`replay-harness: the database of ${parsed.location} is in use by ${holder}; waiting\n`));
  if (parsed.values['json']) process.stdout.write(`${JSON.stringify({ version, applied }, null, 2)}\n`);
  else process.stdout.write(`${applied.map((one) => `applied ${one.version} ${one.name}\n`).join('')}the store ${parsed.runs.location} is at version ${version}${applied.length === 0 ? ' already' : ''}\n`);
  return 0;
}
