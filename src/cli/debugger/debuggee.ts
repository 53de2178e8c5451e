/** A replayed program as a debugger's client sees it: where it stops, what stands on its stack, how it goes on. */
import type { Answer, Told } from '../../replay/halts.ts';
import type { Channel, Message } from './channel.ts';

/** A value, as the inspector protocol describes it. */
export interface RemoteObject {
  readonly type: string;
  readonly subtype?: string;
  readonly className?: string;
  readonly value?: unknown;
  readonly unserializableValue?: string;
  readonly description?: string;
  readonly objectId?: string;
  readonly preview?: Preview;
}

export interface Preview {
  readonly subtype?: string;
  readonly description?: string;
  readonly overflow: boolean;
  readonly properties: readonly { readonly name: string; readonly type: string; readonly subtype?: string; readonly value?: string }[];
}

export interface Scope {
  readonly type: string;
  readonly object: RemoteObject;
}

export interface Location {
  readonly scriptId: string;
  readonly lineNumber: number;
  readonly columnNumber?: number;
}

export interface CallFrame {
  readonly callFrameId: string;
  readonly functionName: string;
  readonly location: Location;
  readonly url: string;
  readonly scopeChain: readonly Scope[];
}

export interface AsyncStack {
  readonly callFrames: readonly (Location & { readonly functionName: string; readonly url: string })[];
  readonly parent?: AsyncStack;
}

interface Paused {
  readonly callFrames: readonly CallFrame[];
  readonly asyncStackTrace?: AsyncStack;
}

/** The program stands in a stop of the replay's. */
export interface Stop {
  readonly told: Told;
  readonly callFrames: readonly CallFrame[];
  readonly asyncStack: AsyncStack | undefined;
}

/** The command line's own session. */
const OWN = 0;
const NAME = 'stopHere';

export class Debuggee {
  readonly channel: Channel;
  readonly #calls = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  readonly #stopped: (stop: Stop) => Promise<void>;
  readonly #urls = new Map<string, string>();
  #last = 0;
  #isPaused = false;

  /** @param stopped is told of each stop; the program stands until `goOn` is called, or a debugger lets it go on */
  constructor(channel: Channel, stopped: (stop: Stop) => Promise<void>) {
    this.channel = channel;
    this.#stopped = stopped;
    channel.listen(OWN, (message) => this.#heard(message));
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** @throws Error where the program refuses, or is gone before it answers: then never */
  call<T>(method: string, params: object = {}): Promise<T> {
    const id = ++this.#last;
    return new Promise<T>((resolve, reject) => {
      this.#calls.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.channel.send(OWN, { id, method, params });
    });
  }

  async goOn({ callFrames }: Stop, answer: Answer): Promise<void> {
    if (answer !== 'on') await this.call('Debugger.evaluateOnCallFrame', { callFrameId: (callFrames[0] as CallFrame).callFrameId, expression: `stop.answer = '${answer}'` });
    this.resume();
  }

  resume(): void {
    void this.call('Debugger.resume').catch(() => {});
  }

  urlOf({ scriptId, url }: { readonly scriptId: string; readonly url: string }): string {
    return url === '' ? (this.#urls.get(scriptId) ?? '') : url;
  }

  #heard({ id, method, params, result, error }: Message): void {
    if (id !== undefined) {
      const call = this.#calls.get(id);
      this.#calls.delete(id);
      if (error) call?.reject(new Error(error.message));
      else call?.resolve(result);
      return;
    }
    if (method === 'Debugger.scriptParsed') this.#urls.set((params as { scriptId: string }).scriptId, (params as { url: string }).url);
    if (method === 'Debugger.resumed') this.#isPaused = false;
    if (method === 'Debugger.paused') void this.#paused(params as Paused);
  }

  async #paused({ callFrames, asyncStackTrace }: Paused): Promise<void> {
    this.#isPaused = true;
    const [top] = callFrames;
    if (top?.functionName !== NAME) return;
    const { result } = await this.call<{ result: RemoteObject }>('Debugger.evaluateOnCallFrame', { callFrameId: top.callFrameId, expression: 'stop.told' });
    await this.#stopped({ told: JSON.parse(result.value as string) as Told, callFrames, asyncStack: asyncStackTrace });
  }
}
