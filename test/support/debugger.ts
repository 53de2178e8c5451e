/** A debugger that attaches to a replay, as Chrome DevTools and VS Code do: an inspector session over a WebSocket. */
import { type ChildProcess, spawn } from 'node:child_process';
import { WebSocket } from 'ws';
import { CLI } from './paths.ts';

interface CallFrame {
  readonly callFrameId: string;
  readonly functionName: string;
  readonly location: { readonly scriptId: string; readonly lineNumber: number };
}

/** Where the program stands. */
export interface Pause {
  /** `function file:line`, innermost first. */
  readonly frames: readonly string[];
  /** The innermost frame of a function of this name; without a name the innermost of all. */
  evaluate(expression: string, functionName?: string): Promise<unknown>;
}

interface Result {
  readonly result: { readonly value?: unknown; readonly description?: string };
  readonly exceptionDetails?: object;
}

export class Debugger {
  readonly #socket: WebSocket;
  readonly #calls = new Map<number, (answer: { result?: unknown; error?: { message: string } }) => void>();
  readonly #urls = new Map<string, string>();
  readonly #pauses: Pause[] = [];
  #waiting: ((pause: Pause | undefined) => void) | undefined;
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.#heard(JSON.parse(data.toString()) as { id?: number; method?: string; params?: unknown }));
    socket.on('close', () => this.#waiting?.(undefined));
  }

  static async attach(url: string): Promise<Debugger> {
    const socket = new WebSocket(url);
    const debug = new Debugger(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    await debug.call('Runtime.enable');
    await debug.call('Debugger.enable');
    return debug;
  }

  async call(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#last;
    const { result, error } = await new Promise<{ result?: unknown; error?: { message: string } }>((resolve) => {
      this.#calls.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
    if (error) throw new Error(error.message);
    return result;
  }

  /** The next time that the program stands. @returns undefined where it ends instead */
  pause(): Promise<Pause | undefined> {
    const [known] = this.#pauses.splice(0, 1);
    if (known || this.#socket.readyState !== WebSocket.OPEN) return Promise.resolve(known);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  leave(): void {
    this.#socket.close();
  }

  #heard({ id, method, params, ...answer }: { id?: number; method?: string; params?: unknown }): void {
    if (id !== undefined) return this.#calls.get(id)?.(answer);
    if (method === 'Debugger.scriptParsed') this.#urls.set((params as { scriptId: string }).scriptId, (params as { url: string }).url);
    if (method !== 'Debugger.paused') return;
    const pause = this.#pauseAt((params as { callFrames: CallFrame[] }).callFrames);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) waiting(pause);
    else this.#pauses.push(pause);
  }

  #pauseAt(callFrames: readonly CallFrame[]): Pause {
    return {
      frames: callFrames.map(({ functionName, location }) => `${functionName} ${(this.#urls.get(location.scriptId) ?? '').split('/').at(-1)}:${location.lineNumber + 1}`),
      evaluate: async (expression, name) => {
        const frame = name === undefined ? callFrames[0] : callFrames.find(({ functionName }) => functionName === name);
        if (!frame) throw new Error(`no frame of ${name} in ${callFrames.map(({ functionName }) => functionName).join(', ')}`);
        const { result, exceptionDetails } = (await this.call('Debugger.evaluateOnCallFrame', { callFrameId: frame.callFrameId, expression, returnByValue: true })) as Result;
        return exceptionDetails ? (result.description ?? '').split('\n')[0] : result.value;
      },
    };
  }
}

export interface Inspected {
  readonly child: ChildProcess;
  readonly debug: Debugger;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/** Starts `replay … --inspect` and attaches to it. */
export async function inspect(args: readonly string[], folder: string): Promise<Inspected> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_CONFIG_HOME: `${folder}/config` };
  const child = spawn(process.execPath, [CLI, 'replay', ...args, '--inspect'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
  const url = new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (text: Buffer) => {
      stderr += text.toString();
      const found = /ws:\/\/\S+(?=\n)/.exec(stderr);
      if (found) resolve(found[0]);
    });
    child.once('close', () => reject(new Error(`no debugger was waited for: ${stderr}`)));
  });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
  return { child, debug: await Debugger.attach(await url), ended };
}
