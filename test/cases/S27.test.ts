import { join } from 'node:path';
import { expect } from 'vitest';
import { itNeeds } from '../support/databases/test-databases.ts';
import { PACKAGES } from '../support/paths.ts';
import { holdsBaseRule } from './base-rule.ts';

const AGENT = join(PACKAGES, 'agents/s27-shapes.mjs');

itNeeds(['postgres'], 'S27 Postgres results keep their shape', {}, async () => {
  const { recorded } = await holdsBaseRule(AGENT, withoutMoments, { needs: ['postgres'] });
  const shown = recorded.stdout.toString().replace(/\s+/g, ' ');
  for (const shape of [
    "big: '9223372036854775807'", "exact: '1234.50'", 'bytes: <Buffer 00 ff 10>', "doc: { a: [ 1, null, 'ü' ] }", `texts: [ 'a', 'b "c"', null ]`, 'nothing: null', 'span: PostgresInterval {',
    "'9223372036854775807', '1234.50', <Buffer 00 ff 10>, { a: [ 1, null, 'ü' ] }", "prototypes: [ [ 'Date', 'String', 'String', 'Buffer', 'Object', 'Array', 'null', 'PostgresInterval' ] ]",
    "two statements [ { rows: [ { '?column?': 1 } ], command: 'SELECT', rowCount: 1 }, { rows: [ { '?column?': 2 } ], command: 'SELECT', rowCount: 1 } ]",
    'rowCount: 500, batches: [ 120, 120, 120, 120, 20 ]', 'rows: 500, same: true',
    "is: true, name: 'DatabaseError', code: '23505', constraint: 'lines_pkey', detail: 'Key (n)=(17) already exists.'",
  ]) expect(shown).toContain(shape);
});

function withoutMoments(stdout: string): string {
  return stdout.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'MOMENT').replace(/chance: [\d.e-]+/g, 'chance: CHANCE');
}
