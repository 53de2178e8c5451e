/** `--step`: the walk through a replay, by lines typed at the terminal. */
import { createInterface, type Interface } from 'node:readline';
import type { Debuggee, RemoteObject } from './debuggee.ts';
import { shown, type Standing } from './frames.ts';

export type Choice = { readonly go: 'on' | 'run' | 'end' } | { readonly to: number };

const HELP = `  enter, n     to the next step
  s N          to step N
  w            where the agent stands
  p EXPRESSION its value in the agent's innermost frame
  c            to the end
  q            no further
`;

const NO_FRAME = 'no code of the agent is on the stack here: what is shown is the call that led here. With --until and --inspect a debugger stops in that call.';

export class Stepper {
  readonly #lines: Interface;
  readonly #waiting: ((line: string | undefined) => void)[] = [];
  readonly #typed: string[] = [];
  #closed = false;

  constructor(input: NodeJS.ReadableStream) {
    this.#lines = createInterface({ input, terminal: false });
    this.#lines.on('line', (line) => {
      const waiting = this.#waiting.shift();
      if (waiting) waiting(line);
      else this.#typed.push(line);
    });
    this.#lines.on('close', () => {
      this.#closed = true;
      for (const waiting of this.#waiting.splice(0)) waiting(undefined);
    });
  }

  close(): void {
    this.#lines.close();
  }

  /** @param steps numbers of all steps @param describe the lines of `w` */
  async choose(debuggee: Debuggee, { frames }: Standing, steps: readonly number[], describe: () => string): Promise<Choice> {
    for (;;) {
      process.stderr.write('(step) ');
      const line = await this.#next();
      if (line === undefined) return { go: 'run' };
      const [, command = '', rest = ''] = /^\s*(\S*)\s*(.*)$/.exec(line) ?? [];
      if (command === '' || command === 'n' || command === 'next') return { go: 'on' };
      if (command === 'c' || command === 'continue') return { go: 'run' };
      if (command === 'q' || command === 'quit') return { go: 'end' };
      if (command === 's' && steps.includes(Number(rest))) return { to: Number(rest) };
      if (command === 's') process.stderr.write(`  ${rest === '' ? 'which step?' : `there is no step ${rest}`}\n`);
      else if (command === 'w') process.stderr.write(describe());
      else if (command === 'p') process.stderr.write(`  ${frames[0] ? await evaluated(debuggee, frames[0].id, rest) : NO_FRAME}\n`);
      else process.stderr.write(HELP);
    }
  }

  #next(): Promise<string | undefined> {
    const typed = this.#typed.shift();
    if (typed !== undefined || this.#closed) return Promise.resolve(typed);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

async function evaluated(debuggee: Debuggee, callFrameId: string, expression: string): Promise<string> {
  try {
    const { result } = await debuggee.call<{ result: RemoteObject }>('Debugger.evaluateOnCallFrame', { callFrameId, expression, generatePreview: true });
    return result.subtype === 'error' ? (result.description ?? '').split('\n')[0] as string : shown(result);
  } catch (error) {
    return (error as Error).message;
  }
}
