/** Starts a program with the harness in every Node process below it. */
import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { constants } from 'node:os';
import type { Control } from '../../loader/control.ts';

const PRELOAD: string = new URL('../loader/register.mjs', import.meta.url).href;

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly argv0?: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly control: Omit<Control, 'nodeOptions'>;
  readonly stdio: StdioOptions;
}

export interface Exit {
  readonly code: number;
  readonly signal: NodeJS.Signals | null;
}

export function launch({ command, args, argv0, cwd, env, control, stdio }: Launch): ChildProcess {
  const nodeOptions = env['NODE_OPTIONS'];
  const message: Control = { ...control, nodeOptions: nodeOptions ?? null };
  return spawn(command, args, {
    cwd,
    stdio,
    ...(argv0 === undefined ? {} : { argv0 }),
    env: { ...env, NODE_OPTIONS: `${nodeOptions ? `${nodeOptions} ` : ''}--import ${PRELOAD}`, REPLAY_HARNESS_CONTROL: JSON.stringify(message) },
  });
}

/** Resolves with how the process ended; signals of the terminal go to it, not to us. */
export function ended(child: ChildProcess): Promise<Exit> {
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  // The terminal sends SIGINT to the whole group: the child has it already.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  process.on('SIGTERM', forward);
  process.on('SIGHUP', forward);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('SIGINT', ignore);
      process.off('SIGTERM', forward);
      process.off('SIGHUP', forward);
      resolve({ code: code ?? 128 + (signal ? constants.signals[signal] : 0), signal });
    });
  });
}
