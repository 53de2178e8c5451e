/** A command, recorded once and replayed, in a store of its own that is dropped afterwards. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../model/error.ts';
import { EmbeddedStore } from '../../store/embedded.ts';
import { ended } from '../harnessed.ts';
import { CLI } from '../package-files.ts';
import { interpretRun } from '../interpreted.ts';
import { verifyRuns } from '../verify/verify-runs.ts';
import type { Finding } from './finding.ts';
import { examine } from './run-rules.ts';

/** @returns what its run and those of its child processes show @throws ConfigError where nothing was recorded */
export async function examineCommand(command: readonly string[], readers: () => readonly string[]): Promise<Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'replay-harness-doctor-'));
  try {
    const store = new EmbeddedStore(join(folder, 'store'));
    const { REPLAY_HARNESS_RUN: _run, ...env } = process.env;
    // What the program prints is not the diagnosis.
    const code = (await ended(spawn(process.execPath, [CLI, 'record', '--store', store.location, '--', ...command], { stdio: ['inherit', 2, 2], env: { ...env, REPLAY_HARNESS_LOG: 'silent' } }))).code;
    const runs = store.list();
    if (runs.length === 0) throw new ConfigError(`doctor: nothing was recorded of "${command.join(' ')}" (exit ${code}): it runs no Node program, or could not be started. Give a command that record takes: replay-harness doctor -- node agent.js`);
    const { runs: verified } = await verifyRuns(runs.map(({ manifest }) => ({ manifest, store: store.location })), { how: {} });
    const findings = runs.flatMap((run) => examine({ manifest: run.manifest, status: run.status, interpreted: interpretRun(store, run, readers()), node: process.version, earlier: false }));
    const explained = new Set(findings.filter(({ effect }) => effect === 'stops').map(({ run }) => run));
    const replays = verified.filter(({ verdict, id }) => verdict !== 'identical' && !explained.has(id)).map(({ id, verdict, said, report }): Finding => ({
      rule: 'replay', effect: 'stops', run: id, step: report?.step ?? null, where: report?.stack[0] ?? '',
      what: `its replay, right after, ${verdict}: ${said.replace(/^replay-harness: /, '')}`, wayOut: 'this should not be: tell the makers of replay-harness, with replay-harness export of the run',
    }));
    return [...findings, ...replays];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
