/** `replay --until`, `--inspect` and `--step`: a replay that stops, and shows where the agent stands. */
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import type { HaltControl } from '../../../loader/control.ts';
import { ConfigError } from '../../model/error.ts';
import type { Step } from '../../steps/step.ts';
import { Channel } from '../debugger/channel.ts';
import { Debuggee, type Stop } from '../debugger/debuggee.ts';
import { type Standing, standingAt } from '../debugger/frames.ts';
import { renderStanding, renderStop } from '../debugger/render-stop.ts';
import { Stepper } from '../debugger/stepper.ts';
import type { InspectorServer } from '../debugger/inspector-server.ts';
import { DIST } from '../package-files.ts';
import { isNoise } from '../render/noise.ts';

export interface PartialOptions {
  readonly until: string | undefined;
  readonly inspect: boolean;
  readonly step: boolean;
}

export interface Where {
  readonly runId: string;
  readonly steps: readonly Step[];
  /** Sealed after the program's own end. */
  readonly complete: boolean;
  /** Puts stand-ins in the place of the run's secrets. */
  readonly masked: (text: string) => string;
}

/** @throws ConfigError where N is no step */
export function partial(options: PartialOptions, where: Where): Partial | undefined {
  const { until, inspect, step } = options;
  if (until === undefined && !inspect && !step) return undefined;
  if (inspect && step) throw new ConfigError('--inspect and --step cannot be given together: --inspect waits for a debugger, --step walks in the terminal.');
  const first = until === undefined ? where.steps.find((candidate) => !isNoise(candidate)) ?? where.steps[0] : stepOf(until, where);
  if (!first) throw new ConfigError(`Run ${where.runId} has no step to stop before.`);
  return new Partial(options, where, first);
}

function stepOf(until: string, { runId, steps, complete }: Where): Step {
  if (/^\d+:\d+$/.test(until)) throw new ConfigError(`--until ${until}: a replay starts no threads, so it cannot stop in one. Give a step of the main thread, which replay-harness show ${runId.slice(0, 13)} lists without a colon.`);
  if (!/^\d+$/.test(until)) throw new ConfigError(`--until takes the number of a step, as replay-harness show ${runId.slice(0, 13)} lists them, not "${until}".`);
  const number = Number(until);
  const found = steps.find((step) => step.step === number);
  if (found) return found;
  const last = steps.at(-1);
  const near = [steps.findLast((step) => step.step < number), steps.find((step) => step.step > number)].flatMap((step) => (step ? [`${step.step} (${step.kind} ${step.name})`] : []));
  if (last && number > last.step) throw new ConfigError(`--until ${until}: run ${runId} ends before that${complete ? '' : ' (its recording is truncated)'}. Its last step is ${near[0]}.`);
  throw new ConfigError(`--until ${until}: run ${runId} has no step ${until}. Near it are ${near.join(' and ')}; replay-harness show ${runId.slice(0, 13)} --verbose lists all.`);
}

/** What a partial replay does, beside what every replay does. */
export class Partial {
  readonly steps: readonly number[];
  /** Frames at the last stop, for the report. */
  stack: readonly string[] = [];
  readonly #options: PartialOptions;
  readonly #where: Where;
  readonly #byNumber: ReadonlyMap<number, Step>;
  readonly #earlier = new Map<number, Standing>();
  #origins: Readonly<Record<number, number>> = {};
  #stepper: Stepper | undefined;
  #server: InspectorServer | undefined;
  #hasLeft = false;
  /** Of `--step`: no stop before this step. */
  #to = 0;

  constructor(options: PartialOptions, where: Where, first: Step) {
    this.#options = options;
    this.#where = where;
    this.#byNumber = new Map(where.steps.map((step) => [step.step, step]));
    this.steps = options.step ? where.steps.filter((step) => step === first || (step.step > first.step && !isNoise(step))).map(({ step }) => step) : [first.step];
  }

  /** Standard input is for commands. */
  get takesInput(): boolean {
    return this.#options.step;
  }

  /** For the replay that only looks which calls of the agent's own code the steps come from. @param file that it writes them into */
  search(file: string): HaltControl {
    return { steps: this.steps, origins: [], found: file, fd: -1 };
  }

  /** @param file of the search @param fd descriptor that the program inherits for the debugger */
  halts(file: string, fd: number): HaltControl {
    if (existsSync(file)) this.#origins = JSON.parse(readFileSync(file, 'utf8')) as Record<number, number>;
    return { steps: this.steps, origins: [...new Set(Object.values(this.#origins))], fd };
  }

  /** @param fd where the child's end is */
  attach(child: ChildProcess, fd: number): void {
    const debuggee: Debuggee = new Debuggee(new Channel(child.stdio[fd] as Duplex), (stop) => this.#stopped(debuggee, stop));
    child.once('close', () => this.#server?.close());
  }

  finish(): void {
    this.#stepper?.close();
  }

  async #stopped(debuggee: Debuggee, stop: Stop): Promise<void> {
    const { told } = stop;
    if (told.kind === 'origin') {
      const standing = await standingAt(debuggee, stop, DIST);
      this.#earlier.set(told.origin, standing);
      const number = this.steps.find((step) => this.#origins[step] === told.origin) as number;
      if (this.#options.inspect) return this.#wait(debuggee, this.#describe(number, 'it, by this call', standing, false));
      return debuggee.goOn(stop, 'on');
    }
    if (told.step < this.#to) return debuggee.goOn(stop, 'on');
    const origin = this.#origins[told.step];
    const standing = await standingAt(debuggee, stop, DIST);
    const earlier = standing.frames.length === 0 && origin !== undefined ? this.#earlier.get(origin) : undefined;
    const text = this.#describe(told.step, told.asks, earlier ?? standing, earlier !== undefined);
    if (this.#options.inspect) return this.#wait(debuggee, text);
    process.stderr.write(text);
    if (!this.#options.step) return debuggee.goOn(stop, 'end');
    this.#stepper ??= new Stepper(process.stdin);
    const describe = (): string => this.#where.masked(`${renderStanding(earlier ?? standing, earlier !== undefined).join('\n')}\n`);
    const choice = await this.#stepper.choose(debuggee, standing, this.steps, describe);
    if ('to' in choice) this.#to = choice.to;
    return debuggee.goOn(stop, 'to' in choice ? 'on' : choice.go);
  }

  #describe(number: number, asks: string, standing: Standing, isEarlier: boolean): string {
    this.stack = standing.frames.map(({ name, place }) => `${name === '' ? '(anonymous)' : name} (${place})`);
    return this.#where.masked(`${renderStop({ runId: this.#where.runId, step: this.#byNumber.get(number) as Step, asks, standing, isEarlier }).join('\n')}\n`);
  }

  /** The program stands until a debugger lets it go on; after the last debugger has gone, it does not stop any more. */
  async #wait(debuggee: Debuggee, text: string): Promise<void> {
    if (this.#hasLeft) return debuggee.resume();
    process.stderr.write(text);
    if (this.#server) return;
    // Nothing else needs what this loads.
    const { InspectorServer: Relay } = await import('../debugger/inspector-server.ts');
    this.#server = new Relay(debuggee.channel, `replay of ${this.#where.runId}`, () => {
      this.#hasLeft = true;
      if (debuggee.isPaused) debuggee.resume();
    });
    await this.#server.open();
    process.stderr.write(`  waiting for a debugger on ${this.#server.url}\n  (Chrome: chrome://inspect; VS Code: attach to it; the replay goes on when the debugger resumes it, or leaves)\n`);
  }
}
