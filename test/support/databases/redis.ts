/** A private Redis that keeps nothing: after a stop and a start it is empty. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Daemon, findProgram, freePort, provesRefused, run, startDaemon } from './daemon.ts';

const PROGRAM = findProgram('redis-server');
const CLIENT = findProgram('redis-cli');
const PASSWORD = 'another-password-of-the-tests';

export class Redis {
  static readonly installed: boolean = PROGRAM !== undefined && CLIENT !== undefined && findProgram('setpriv') !== undefined;
  readonly #folder: string = mkdtempSync(join(tmpdir(), 'replay-harness-redis-'));
  #port = 0;
  #password = PASSWORD;
  #daemon: Daemon | undefined;
  /** Connections of ours. */
  #own = 0;

  get env(): Record<string, string> {
    return { REDIS_URL: `redis://default:${PASSWORD}@127.0.0.1:${this.#port}`, REDIS_PORT: String(this.#port), REDIS_PASSWORD: PASSWORD };
  }

  /** On a free port the first time, later on the same one. */
  async start(): Promise<void> {
    if (this.#daemon) return;
    this.#port ||= await freePort();
    const settings = ['--port', String(this.#port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--requirepass', PASSWORD, '--dir', this.#folder];
    this.#daemon = await startDaemon({ program: PROGRAM as string, args: settings, cwd: this.#folder, orphaned: 'KILL', ready: /Ready to accept connections/ });
    this.#own = 0;
    this.#password = PASSWORD;
  }

  /** Until its next start. */
  changePassword(password: string): void {
    this.command('config', 'set', 'requirepass', password);
    this.#password = password;
  }

  /** Idempotent. */
  async stop(): Promise<void> {
    await this.#daemon?.stop('SIGTERM');
    this.#daemon = undefined;
  }

  provesStopped(): Promise<void> {
    return provesRefused('Redis', this.#port);
  }

  /** Connections that reached it since its start, but for those of {@link command}. */
  async connections(): Promise<number> {
    const stats = this.command('info', 'stats');
    return Number(/^total_connections_received:(\d+)/m.exec(stats)?.[1]) - this.#own;
  }

  /** @returns what redis-cli prints */
  command(...args: string[]): string {
    this.#own++;
    return run(CLIENT as string, ['-p', String(this.#port), '-a', this.#password, '--no-auth-warning', ...args], { cwd: this.#folder }).trim();
  }

  async remove(): Promise<void> {
    await this.#daemon?.stop('SIGKILL');
    this.#daemon = undefined;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
