/** `coverage <run>`: what was captured, by boundary, and what got past. */
import { coverageOf } from '../../steps/coverage.ts';
import { identities } from '../../store/keyring.ts';
import { oneRun, parse } from '../arguments.ts';
import { renderCoverage } from '../render/coverage.ts';
import { findRun } from '../stores.ts';

export async function coverage(args: readonly string[]): Promise<number> {
  const parsed = parse('coverage', args, { json: { type: 'boolean' } }, { server: true });
  const run = await findRun(parsed, oneRun('coverage', parsed));
  const { id } = run.manifest;
  const found = coverageOf(parsed.store.tape(run, identities(process.env)).events);
  process.stdout.write(parsed.values['json'] ? `${JSON.stringify({ run: id, status: run.status, ...found }, null, 2)}\n` : renderCoverage({ id, status: run.status }, found));
  return 0;
}
