import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PACKAGES } from '../support/paths.ts';
import { holdsBaseRule } from './base-rule.ts';

const NODE_MAJOR = Number(process.versions.node.split('.')[0]);
/** undici 8 uses what Node 20 has not. */
const MAJORS = [6, 7, ...(NODE_MAJOR >= 22 ? [8] : [])];
const UNDICI_REQUESTS = 8;

const aside = (stdout: string): string => stdout.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID').replace(/"text":"x+"/g, '"text"');

it.each(MAJORS)('S17 undici %i from npm beside the global fetch', async (major) => {
  const { recorded, workspace } = await holdsBaseRule(join(PACKAGES, 'agents/s17-undici.mjs'), aside, { args: [`undici${major}`] });
  // Whether a fetch gets on with the dispatcher of another major is between the two, and as it is without us.
  const exchanges = await steps(workspace);
  expect(exchanges.filter((url) => url.includes('by='))).toHaveLength(UNDICI_REQUESTS - ([...recorded.stdout.toString().matchAll(/^after \w+ TypeError/gm)].length));
});

it('S17 node-fetch, axios and got', async () => {
  const { workspace } = await holdsBaseRule(join(PACKAGES, 'agents/s17-clients.mjs'), aside);
  expect(await steps(workspace)).toHaveLength(10);
});

/** Addresses of the HTTP exchanges in the newest recording. */
async function steps(workspace: { cli(args: readonly string[]): Promise<{ stdout: Buffer }> }): Promise<string[]> {
  const shown = JSON.parse((await workspace.cli(['show', 'latest', '--json'])).stdout.toString()) as { steps: { boundary: string; input: { url?: string } }[] };
  return shown.steps.flatMap(({ boundary, input }) => (boundary === 'http' && input.url ? [input.url] : []));
}
