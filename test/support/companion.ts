/** A server of an agent's own, in a process beside it: a program that takes a port (0: any), prints `port N` when it listens and `hit` whenever it is reached. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { anyPort } from './ports.ts';

export class Companion {
  readonly #program: string;
  #port = 0;
  #hits = 0;
  #child: ChildProcess | undefined;

  constructor(program: string) {
    this.#program = program;
  }

  get port(): number {
    return this.#port;
  }

  /** Since the last start. */
  get hits(): number {
    return this.#hits;
  }

  /** On the port that it had before, if it had one. */
  async start(): Promise<void> {
    this.#hits = 0;
    this.#child = spawn(process.execPath, ['--no-warnings', this.#program, String(this.#port || anyPort())], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
    lines.on('line', (line) => {
      if (line === 'hit') this.#hits++;
    });
    const [first] = (await Promise.race([once(lines, 'line'), once(this.#child, 'exit')])) as [unknown];
    const port = /^port (\d+)$/.exec(String(first))?.[1];
    if (port === undefined) throw new Error(`${this.#program} did not begin to listen: ${String(first)}`);
    this.#port = Number(port);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}
