import { chmodSync, existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TOKEN_SECRET } from '../support/endpoints.ts';
import type { Workspace } from '../support/workspace.ts';
import { holdsBaseRule, withoutChance } from './base-rule.ts';

it('S12 tokens do not expire in a replay, ten seconds or forty days later', async () => {
  const { workspace, recorded, replay } = await holdsBaseRule('cases/s12-token.mjs', withoutChance, { env: { TOKEN_SECRET } });
  expect(recorded.stdout.toString().match(/a token was fetched/g)).toHaveLength(1);
  expect(recorded.stdout.toString().match(/^200 \S+ valid /gm)).toHaveLength(2);
  for (const later of [10_000, 40 * 86_400_000]) {
    await replay(['--sandbox', 'process', '--node', nodeInTheFuture(workspace, later)]);
    expect(existsSync(workspace.path(`was-${later}-ms-later`))).toBe(true);
  }
});

/** The same Node on a machine whose clock is ahead, and that leaves a sign of it. */
function nodeInTheFuture(workspace: Workspace, later: number): string {
  const clock = workspace.write(`clock-${later}.cjs`, `
    const { now } = Date;
    const Native = Date;
    globalThis.Date = class Date extends Native { constructor(...args) { super(...(args.length === 0 ? [now() + ${later}] : args)); } };
    Date.now = () => now() + ${later};
    if (new Date() - now() >= ${later} - 1) require('node:fs').writeFileSync(${JSON.stringify(workspace.path(`was-${later}-ms-later`))}, '');
  `);
  const node = workspace.write(`node-${later}`, `#!/bin/sh\nexec "${process.execPath}" -r "${clock}" "$@"\n`);
  chmodSync(node, 0o755);
  return node;
}
