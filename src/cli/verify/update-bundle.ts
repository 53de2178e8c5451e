/** `verify --update` of a bundle: recorded anew, on purpose, and the file rewritten; what changed is shown. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { uuidv7 } from '../../model/uuid.ts';
import { EmbeddedStore } from '../../store/embedded.ts';
import { ended } from '../harnessed.ts';
import { CLI } from '../package-files.ts';
import type { OpenBundle } from './bundles.ts';
import { SUPERSEDES } from './select.ts';
import type { Update } from './update.ts';

/** The file has the name, agent and tags that it had, and is for whom it was for. Where anything fails it stays as it is. */
export async function recordBundleAnew({ file, manifest, store, env, sealedTo }: OpenBundle, command: readonly string[], color: boolean): Promise<Update> {
  const { id: old, name, agent, tags } = manifest;
  const now = uuidv7();
  const given = Object.entries(tags).filter(([key]) => key !== SUPERSEDES).flatMap(([key, value]) => ['--tag', `${key}=${value}`]);
  const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}): ReturnType<typeof spawn> =>
    spawn(process.execPath, [CLI, ...args], { stdio: ['inherit', 'pipe', 2], env: { ...process.env, ...env, ...more } });
  const recorded = run(['record', '--store', store, '--agent', agent, ...(name === null ? [] : ['--name', name]), ...given, '--', ...command], { REPLAY_HARNESS_RUN: now });
  // What the agent prints is not the report.
  recorded.stdout?.pipe(process.stderr, { end: false });
  await ended(recorded);
  const written = new EmbeddedStore(store);
  if (!written.has(now)) return { old, now: null, text: '' };
  // A recording of a mistake in the command is no replacement.
  const { exitCode } = written.find(now).manifest;
  if (exitCode !== 0 && exitCode !== manifest.exitCode) {
    process.stderr.write(`replay-harness: ${file}: the program ended with exit ${exitCode ?? 'unknown'}, and the recorded one with ${manifest.exitCode ?? 'unknown'}. If that is meant, record and export it: replay-harness record -- ${command.join(' ')}\n`);
    return { old, now: null, text: '' };
  }
  const diff = run(['diff', old, now, '--store', store], color ? { FORCE_COLOR: '1' } : {});
  const [shown] = await Promise.all([text(diff.stdout as NonNullable<typeof diff.stdout>), ended(diff)]);
  const exported = run(['export', now, '--store', store, '--output', file, ...(sealedTo ? ['--with-secrets', ...sealedTo.flatMap((recipient) => ['--recipient', recipient])] : [])]);
  exported.stdout?.resume();
  const { code } = await ended(exported);
  return { old, now: code === 0 ? now : null, text: shown };
}
