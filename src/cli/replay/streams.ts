/** Standard streams of a replayed process. */
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { RunFacts } from '../../model/event.ts';

function stdinOf({ stdio }: RunFacts, isTaken = false): 'pipe' | 'ignore' | 'inherit' {
  if (stdio[0] === 'tty') return process.stdin.isTTY && !isTaken ? 'inherit' : 'pipe';
  return stdio[0] === 'pipe' ? 'pipe' : 'ignore';
}

/** A program that was forked finds a channel to its parent; nothing is said on it. */
function channelOf({ ipc }: RunFacts): ['ipc'] | [] {
  return ipc ? ['ipc'] : [];
}

/** Where what a replayed process prints goes. */
export interface Output {
  readonly stdout: Stream;
  readonly stderr: Stream;
}

type Stream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** Of the command line itself. */
export const OWN: Output = process;

interface Connecting {
  /** Standard input is for commands. */
  readonly inputIsTaken?: boolean;
  /** Nobody looks at a terminal, and nothing is passed on. */
  readonly silent?: boolean;
  readonly output?: Output;
}

type Stdio = ('pipe' | 'ignore' | 'inherit' | 'ipc' | number)[];

/** Standard streams of the recorded sort: what they are decides which classes serve them. */
export function connect(facts: RunFacts, folder: string, { inputIsTaken = false, silent = false, output = OWN }: Connecting): { stdio: Stdio; close: () => void } {
  const files: (readonly [string, number, Stream])[] = [];
  const outputOf = (fd: 1 | 2): 'pipe' | 'inherit' | number => {
    const stream = fd === 1 ? output.stdout : output.stderr;
    if (facts.stdio[fd] === 'tty' && stream.isTTY && !silent) return 'inherit';
    if (facts.stdio[fd] !== 'file') return 'pipe';
    const file = `${folder}/${fd}`;
    const opened = openSync(file, 'w+');
    files.push([file, opened, stream]);
    return opened;
  };
  const stdio: Stdio = [stdinOf(facts, inputIsTaken || silent), outputOf(1), outputOf(2), ...channelOf(facts)];
  const close = (): void => {
    for (const [file, fd, stream] of files) {
      closeSync(fd);
      if (!silent) stream.write(readFileSync(file));
    }
  };
  return { stdio, close };
}

export function forwardOutput(child: ChildProcess, { stdout, stderr }: Output = OWN): void {
  child.stdout?.pipe(stdout, { end: false });
  child.stderr?.pipe(stderr, { end: false });
}
