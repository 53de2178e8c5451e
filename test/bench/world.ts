/** The server of the bench as a process that can be killed and come back on the same port. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url));

export class World {
  #port = 0;
  #process: ChildProcess | undefined;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    if (this.#process) return;
    const child = fork(SERVER, [String(this.#port)], { env: {}, execArgv: [] });
    this.#process = child;
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    this.#port = port;
  }

  /** How many requests it has answered since its start. */
  async answered(): Promise<number> {
    this.#process?.send('count');
    const [{ answered }] = (await once(this.#process as ChildProcess, 'message')) as [{ answered: number }];
    return answered;
  }

  /** Idempotent. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (!child) return;
    this.#process = undefined;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}
