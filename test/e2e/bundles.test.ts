/** An agent in one file, as bundlers make it: what it takes from Node and from the SDK goes through their wrappers. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentPath, PACKAGES } from '../support/paths.ts';
import { recordAndReplay } from '../support/record-and-replay.ts';
import { Workspace } from '../support/workspace.ts';

type Format = 'esm' | 'cjs';

const ENTRY = agentPath('bundled.mjs');
const FORMATS: readonly Format[] = ['esm', 'cjs'];
const workspace = new Workspace();
const fileOf = (bundler: string, format: Format): string => workspace.path(`${bundler}/agent.${format === 'esm' ? 'mjs' : 'cjs'}`);

async function withEsbuild(format: Format): Promise<void> {
  await build({ entryPoints: [ENTRY], outfile: fileOf('esbuild', format), bundle: true, minify: true, platform: 'node', format });
}

/** The part of webpack's interface that is used here. */
type Webpack = (options: object, done: (error: Error | null, stats: { hasErrors(): boolean; toString(): string }) => void) => void;

async function withWebpack(format: Format): Promise<void> {
  const webpack = createRequire(join(PACKAGES, 'package.json'))('webpack') as Webpack;
  const file = fileOf('webpack', format);
  const stats = await promisify(webpack)({
    entry: ENTRY, mode: 'production', target: 'node20', experiments: { outputModule: format === 'esm' },
    output: { path: join(file, '..'), filename: file.split('/').at(-1), module: format === 'esm', chunkFormat: format === 'esm' ? 'module' : 'commonjs' },
  });
  if (stats?.hasErrors()) throw new Error(stats.toString());
}

describe.each([['esbuild', withEsbuild], ['webpack', withWebpack]] as const)('an agent bundled by %s, minified', { timeout: 300_000 }, (bundler, make) => {
  beforeAll(() => Promise.all(FORMATS.map(make)));

  it.each(FORMATS)('as %s', async (format) => {
    const shape = (stdout: string): string => stdout.split('\n').slice(1).join('\n').replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{8}\b|0\.\d+|\d{4}-[\dT:.-]+Z/g, 'N');
    for (const [round, preload] of (['import', 'cli'] as const).entries()) {
      const { stdout } = await recordAndReplay({ agent: fileOf(bundler, format), preload, sameAsBare: shape }, round);
      expect(stdout.toString()).toMatch(/ true\n$/);
    }
  });
});

afterAll(() => workspace.remove());
