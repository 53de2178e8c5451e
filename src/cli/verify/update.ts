/** `verify --update`: what did not replay is recorded anew, on purpose, and what changed is shown. */
import { spawn } from 'node:child_process';
import { ConfigError, RunNotFoundError } from '../../model/error.ts';
import { uuidv7 } from '../../model/uuid.ts';
import { identities } from '../../store/keyring.ts';
import type { Arguments } from '../arguments.ts';
import { diffText } from '../commands/diff.ts';
import { describeRun } from '../describe-run.ts';
import { ended } from '../harnessed.ts';
import { CLI } from '../package-files.ts';
import { findRun } from '../stores.ts';
import { SUPERSEDES } from './select.ts';

export interface Update {
  readonly old: string;
  /** null: it could not be recorded. */
  readonly now: string | null;
  /** The two runs beside each other. */
  readonly text: string;
}

/**
 * The old run stays; the new one has its name, agent and tags, and says whose place it takes.
 * @throws ConfigError where nobody says what to run
 */
export async function recordAnew({ store, runs, location, command }: Pick<Arguments, 'store' | 'runs' | 'location' | 'command'>, id: string, color: boolean): Promise<Update> {
  const old = await findRun({ store, runs }, id);
  const { name, agent, tags } = old.manifest;
  const recorded = describeRun(store, old, identities(process.env));
  // What came from elsewhere says what to compare, never what to run.
  const [program, ...args] = command ?? (old.manifest.imported ? null : recorded.command) ?? [];
  if (program === undefined) throw new ConfigError(`verify --update: what run ${id} ran ${old.manifest.imported ? 'came with an import, and is not executed here' : 'cannot be read here'}. Say what to run: replay-harness verify ${id.slice(0, 13)} --update -- CMD`);
  const now = uuidv7();
  const given = Object.entries({ ...tags, [SUPERSEDES]: id }).flatMap(([key, value]) => ['--tag', `${key}=${value}`]);
  const options = ['--agent', agent, ...(name === null ? [] : ['--name', name]), ...given];
  // What the agent prints is not the report.
  const child = spawn(process.execPath, [CLI, 'record', ...options, '--', program, ...args], {
    cwd: command ? process.cwd() : (recorded.cwd ?? process.cwd()), stdio: ['inherit', 2, 2], env: { ...process.env, REPLAY_HARNESS_RUN: now, REPLAY_HARNESS_STORE: location },
  });
  await ended(child);
  try {
    await findRun({ store, runs }, now);
  } catch (error) {
    if (error instanceof RunNotFoundError) return { old: id, now: null, text: '' };
    throw error;
  }
  return { old: id, now, text: diffText(store, [id, now], { color, verbose: false }) };
}
