/** Starts a program with the harness in every Node process below it. */
import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { accessSync, constants as fsConstants, statSync } from 'node:fs';
import { constants } from 'node:os';
import type { Control } from '../../loader/control.ts';
import { ConfigError } from '../model/error.ts';
import { requireOption } from '../model/node-option.ts';
import { PRELOAD } from './package-files.ts';

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly argv0?: string | undefined;
  readonly cwd: string;
  /** Put the harness in; false where the recorded options do so themselves. */
  readonly inject: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly control: Omit<Control, 'injected' | 'hadNodeOptions'>;
  readonly stdio: StdioOptions;
  /** How messages are written on the `ipc` channel of `stdio`. */
  readonly serialization?: 'json' | 'advanced';
}

export interface Exit {
  readonly code: number;
  readonly signal: NodeJS.Signals | null;
  /** Somebody asked for the end: whoever started us, or a person at the terminal. */
  readonly signalled: boolean;
}

/** @throws ConfigError when the program cannot be started; where that shows later, `ended` rejects with it */
export function launch({ command, args, argv0, cwd, inject, env, control, stdio, serialization }: Launch): ChildProcess {
  const nodeOptions = env['NODE_OPTIONS'];
  const injected = inject ? requireOption(PRELOAD) : null;
  const message: Control = { ...control, injected, hadNodeOptions: nodeOptions !== undefined };
  const childEnv = { ...env, NODE_OPTIONS: injected ? `${injected} ${nodeOptions ?? ''}` : nodeOptions, REPLAY_HARNESS_CONTROL: JSON.stringify(message) };
  return startProgram({ command, args, argv0, cwd, env: childEnv, stdio, ...(serialization && { serialization }) });
}

/** As it is. @throws ConfigError as `launch` does */
export function startProgram({ command, args, argv0, cwd, env, stdio, serialization }: Omit<Launch, 'inject' | 'control'>): ChildProcess {
  try {
    return spawn(command, args, { cwd, stdio, ...(serialization && { serialization }), ...(argv0 === undefined ? {} : { argv0 }), env });
  } catch (error) {
    throw startProblem(command, error as NodeJS.ErrnoException);
  }
}

const START_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program. Check its name: a program that is not on PATH needs its path',
  ENOTDIR: 'there is no such program. Check its path',
  EACCES: 'it is a folder, or a file that may not be executed. Make it executable (chmod +x), or name the program that runs it (for instance: node FILE)',
};

function startProblem(command: string, error: NodeJS.ErrnoException): ConfigError {
  return new ConfigError(`cannot run ${command}: ${START_PROBLEMS[error.code ?? ''] ?? error.message}.`);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, fsConstants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function atTerminal(): boolean {
  return process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
}

/**
 * Resolves with how the process ended; signals of the terminal go to it, not to us.
 * @param target id of the process that is meant, where that is not the child itself
 */
export function ended(child: ChildProcess, target?: () => number): Promise<Exit> {
  let signalled = false;
  const forward = (signal: NodeJS.Signals): void => {
    signalled = true;
    if (!target) return void child.kill(signal);
    try {
      process.kill(target(), signal);
    } catch {
      // It has just ended.
    }
  };
  // A terminal sends these to the whole group: the child has them already.
  const fromTerminal = (signal: NodeJS.Signals): void => {
    signalled = true;
    if (!atTerminal()) forward(signal);
  };
  const handlers = [['SIGINT', fromTerminal], ['SIGQUIT', fromTerminal], ['SIGTERM', forward], ['SIGHUP', forward]] as const;
  for (const [signal, handler] of handlers) process.on(signal, handler);
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => reject(error.syscall?.startsWith('spawn') ? startProblem(child.spawnfile, error) : error));
    child.once('close', (code, signal) => {
      for (const [signal, handler] of handlers) process.off(signal, handler);
      resolve({ code: code ?? 128 + (signal ? constants.signals[signal] : 0), signal, signalled });
    });
  });
}
