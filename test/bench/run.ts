/** Runs a row: all variants in every round, in an order that rotates, so that what the machine does meanwhile meets them all. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { databasesFor } from '../support/databases/index.ts';
import { inspectWritten, type Written } from './correctness.ts';
import { measure, type Sample } from './measure.ts';
import type { Phase, Row, RowSample, Size } from './rows.ts';
import type { Run, Variant } from './variants.ts';
import { World } from './world.ts';

const AGENTS = fileURLToPath(new URL('agents/', import.meta.url));
/** What the agent sends as its API key; must lie nowhere in clear. */
export const SENTINEL = 'sk-bench-7f3a91c2d4e84b06a5sentinel';

/** Of one variant, all rounds in order. */
export interface Measured {
  readonly variant: Variant;
  readonly record: RowSample[];
  readonly replay: RowSample[];
  /** Of the last round. */
  written?: Written;
}

export async function runRow(row: Row, size: Size, rounds: number, variants: readonly Variant[]): Promise<Measured[]> {
  const work = mkdtempSync(join(tmpdir(), 'replay-harness-bench-'));
  const world = new World();
  const measured = variants.map((variant): Measured => ({ variant, record: [], replay: [] }));
  const databases = await databasesFor(row.needs);
  const env = { ...environment(work), ...databases.env };
  const start = async (each: Measured, phase: Phase, folder: string): Promise<RowSample> => {
    mkdirSync(`${folder}-empty`, { recursive: true });
    return once(each, phase, `${folder}-empty`, 'empty.mjs');
  };
  const once = async (each: Measured, phase: Phase, folder: string, program: string = row.agent): Promise<RowSample> => {
    const agent = [...(row.nodeArgs ?? []), join(AGENTS, program)];
    const run = (phase === 'record' ? each.variant.record(folder, agent) : each.variant.replay?.(folder, agent)) as Run;
    const sample = await measure({ program: process.execPath, args: run.args, cwd: folder, env: { ...env, ...size.env, BENCH_URL: world.url, BENCH_KEY: SENTINEL, ...run.env } });
    return { ...sample, report: reportIn(folder), writtenBytes: bytesIn(folder) };
  };
  try {
    for (let round = 0; round < rounds; round++) {
      const order = measured.map((_, at) => measured[(at + round) % measured.length] as Measured);
      const folderOf = new Map(order.map((each) => [each, join(work, `${round}-${each.variant.id.replaceAll(/\W/g, '-')}`)]));
      await world.start();
      await databases.start();
      for (const each of order) {
        const folder = folderOf.get(each) as string;
        mkdirSync(folder);
        each.record.push({ ...(await once(each, 'record', folder)), ...(row.starts && { start: await start(each, 'record', folder) }) });
        if (round === rounds - 1) each.written = await inspectWritten(folder, each.variant, { ...env, BENCH_KEY: SENTINEL });
      }
      await world.kill();
      await databases.stop();
      for (const each of row.replays ? order : []) {
        if (!each.variant.replay) continue;
        const folder = folderOf.get(each) as string;
        each.replay.push({ ...(await once(each, 'replay', folder)), recorded: each.record.at(-1) as Sample, ...(row.starts && { start: await start(each, 'replay', folder) }) });
      }
      for (const folder of readdirSync(work).filter((name) => name.startsWith(`${round}-`))) rmSync(join(work, folder), { recursive: true, force: true });
    }
    return measured;
  } finally {
    await world.kill();
    rmSync(work, { recursive: true, force: true });
  }
}

/** Nothing of the user's: keys are made in the bench's own folder. */
export function environment(work: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: work, XDG_CONFIG_HOME: join(work, 'config') };
}

function reportIn(folder: string): RowSample['report'] {
  const file = join(folder, 'report.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RowSample['report']) : undefined;
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => {
    const stats = statSync(join(folder, name));
    return stats.isFile() ? sum + stats.size : sum;
  }, 0);
}
