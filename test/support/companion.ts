/** A server of an agent's own, in a process beside it: a program that takes a port (0: any), prints `port N` when it listens and `hit` whenever it is reached. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { atPort } from './ports.ts';

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
    this.#port = await atPort(this.#port, (port) => this.#startAt(port));
  }

  /** @returns where it listens @throws Error whose code is EADDRINUSE where somebody else does */
  async #startAt(wanted: number): Promise<number> {
    const child = spawn(process.execPath, ['--no-warnings', this.#program, String(wanted)], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      if (line === 'hit') this.#hits++;
    });
    // By 'close' all that it said of its end has been read.
    const [first] = (await Promise.race([once(lines, 'line'), once(child, 'close')])) as [unknown];
    const port = /^port (\d+)$/.exec(String(first))?.[1];
    if (port === undefined) throw Object.assign(new Error(`${this.#program} did not begin to listen: ${String(first)} ${said}`), { ...(said.includes('EADDRINUSE') && { code: 'EADDRINUSE' }) });
    return Number(port);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}
