/** What a server has of recorded runs against their journals, which are kept aside while others ship and remove them. */
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { segmentFile } from '../../src/journal/format.ts';
import { RandomStream } from '../../src/capture/random.ts';
import { EmbeddedStore } from '../../src/store/embedded.ts';
import { readRun } from '../../src/store/ingest/read-run.ts';
import { rowsOf } from '../../src/store/ingest/rows.ts';
import { identities } from '../../src/store/keyring.ts';
import { checkRows } from '../../src/store/sql/check-rows.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { runsIn } from '../../src/store/sql/sql-runs.ts';
import type { Workspace } from './workspace.ts';

/** Links to the journals of a folder's runs, which whoever ships them takes away; they grow with them. */
export class KeptJournals {
  readonly folder: string;
  readonly #runs: () => string;
  readonly #timer: NodeJS.Timeout;

  /** @param runs where runs are recorded, which need not be there yet */
  constructor(workspace: Workspace, runs: () => string) {
    this.folder = workspace.path('kept');
    this.#runs = runs;
    this.#timer = setInterval(() => this.look(), 1);
  }

  look(): void {
    const runs = this.#runs();
    for (const id of namesIn(runs)) {
      for (const name of namesIn(join(runs, id))) {
        const [, segment] = /^(lane-\d+\.\d+)\.(?:open|journal)$/.exec(name) ?? [];
        if (segment === undefined || ['open', 'journal'].some((state) => existsSync(join(this.folder, id, `${segment}.${state}`)))) continue;
        mkdirSync(join(this.folder, id), { recursive: true });
        try {
          linkSync(join(runs, id, name), join(this.folder, id, name));
        } catch {
          // It is called otherwise by now: the next look finds it.
        }
      }
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Ids of the runs that have recorded anything. */
  get ids(): string[] {
    return namesIn(this.folder).filter((id) => readFileSync(this.#file(id)).length > 0).sort();
  }

  #file(id: string): string {
    return join(this.folder, id, namesIn(join(this.folder, id))[0] as string);
  }
}

/**
 * Every run is on the server, each byte of its journal, each step of it once, and every checksum fits.
 * @throws Error that names what is missing, or there twice
 */
export async function proveShipped(database: Database, url: string, kept: KeptJournals, workspace: Workspace): Promise<{ readonly runs: number; readonly steps: number }> {
  const runs = runsIn(database, url);
  const keys = identities({ XDG_CONFIG_HOME: workspace.path('config') });
  const there = await database.query<{ id: string; status: string; steps: number | null }>('SELECT id, status, steps FROM replay_harness.runs ORDER BY id', []);
  const { ids } = kept;
  const missing = ids.filter((id) => !there.some((row) => row.id === id));
  if (missing.length > 0) throw new Error(`${missing.length} of ${ids.length} runs are not on the server: ${missing.join(' ')}; their journals are kept in ${kept.folder}`);
  let total = 0;
  for (const { id, status, steps } of there) {
    // Killed before anything was recorded.
    if (!ids.includes(id)) {
      const [{ n } = { n: -1 }] = await database.query<{ n: number }>('SELECT (SELECT count(*) FROM replay_harness.tapes WHERE run_id = $1) + (SELECT count(*) FROM replay_harness.steps WHERE run_id = $1) AS n', [id]);
      if (status !== 'truncated' || n !== 0) throw new Error(`run ${id} (${status}) is on the server, and nobody recorded it`);
      continue;
    }
    const wrong = (what: string): Error => new Error(`run ${id} (${status}): ${what}; its journal is kept in ${join(kept.folder, id)}`);
    if (status === 'recording') throw wrong('it is not sealed');
    const copy = new EmbeddedStore(workspace.path(`fetched-${process.hrtime.bigint()}`));
    const run = await runs.find(id);
    await runs.fetch(run, copy, keys);
    for (const name of namesIn(join(kept.folder, id))) {
      const [, lane, segment] = /^lane-(\d+)\.(\d+)\./.exec(name) as unknown as [string, string, string];
      const file = [true, false].map((isSealed) => join(copy.folderOf(id), segmentFile(Number(lane), Number(segment), isSealed))).find((path) => existsSync(path));
      const recorded = readFileSync(join(kept.folder, id, name));
      if (file === undefined || !readFileSync(file).equals(recorded)) throw wrong(`its tape differs from its journal (${file === undefined ? 'none' : readFileSync(file).length} bytes against ${recorded.length})`);
    }
    const read = readRun(join(kept.folder, id), run.manifest, status === 'complete' ? 'complete' : 'truncated', keys);
    const expected = [...rowsOf(read, (seed) => new RandomStream(seed).next, (each) => each)].map(({ step: { lane, step, checksum } }) => `${lane}:${step} ${Buffer.from(checksum).toString('hex')}`);
    const rows = await database.query<{ lane: number; step: number; checksum: Buffer; readings: number }>(
      'SELECT lane, step, checksum, (SELECT count(*) FROM replay_harness.step_readings r WHERE r.run_id = s.run_id AND r.lane = s.lane AND r.step = s.step) AS readings FROM replay_harness.steps s WHERE run_id = $1 ORDER BY lane, step', [id],
    );
    const found = rows.map(({ lane, step, checksum }) => `${lane}:${step} ${checksum.toString('hex')}`);
    if (found.join() !== expected.join() || steps !== expected.length) throw wrong(`it has ${found.length} steps (${steps} by its row), and ${expected.length} were recorded`);
    if (rows.some(({ readings }) => readings !== 1)) throw wrong('a step has no reading, or several');
    await checkRows(database, id);
    total += expected.length;
  }
  return { runs: ids.length, steps: total };
}

/** None of a folder that is not there yet, or has just been taken away. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
