import { execFileSync } from 'node:child_process';
import { describe, it } from 'vitest';
import { agentPath } from '../support/paths.ts';
import { expectInvisible } from './invisible.ts';

const AGENT = 'invisible/endings.mjs';
const list = execFileSync(process.execPath, [agentPath(AGENT)], { encoding: 'utf8' }).split('\n');
const ENDINGS: readonly string[] = list.slice(0, list.indexOf('main is done'));

it.each(ENDINGS)('%s', (ending) => expectInvisible(AGENT, { args: [ending] }));

describe.each(['strict', 'warn', 'none', 'throw', 'warn-with-error-code'])('--unhandled-rejections=%s', (mode) => {
  it.each(['rejected', 'rejected, not an error', 'rejected, handled late', 'rejected in async'])('%s', (ending) => expectInvisible(AGENT, { args: [ending], nodeArgs: [`--unhandled-rejections=${mode}`] }));
});

it.each(['--trace-warnings', '--throw-deprecation', '--no-deprecation', '--enable-source-maps'])('with %s', async (option) => {
  for (const ending of ['warning', 'deprecated', 'uncaught after a read']) await expectInvisible(AGENT, { args: [ending], nodeArgs: [option] });
});
