/** The only source of deliveries in a replay: one recorded delivery per macrotask, in recorded order. */
import type { LaneEvent } from '../model/event.ts';
import { activeResources } from '../runtime/active-resources.ts';
import { isLoaded } from '../runtime/bindings.ts';
import { ownTimeout } from '../runtime/own.ts';

type Delivery = Extract<LaneEvent, { type: 'delivery' }>;

export interface SchedulerPort {
  next(): LaneEvent | undefined;
  /** Runs `turn` in a macrotask of its own, soon. */
  arm(turn: () => void): void;
  /** Delivers in a macrotask of its own, and wakes the scheduler for the next. */
  deliver(event: Delivery): void;
  /** Whether work that is done again for real has come to its outcome. */
  ready(operation: number): boolean;
  /** There is no further event. */
  exhausted(): void;
  /** @returns how long it is until the delivery is due, in milliseconds; 0: at once */
  early(event: Delivery): number;
  /** The program should ask for `event`, and has nothing left to do. */
  quiescent(event: LaneEvent): void;
}

/** Turns of the loop in which nothing happened, after which the program counts as quiescent. */
const QUIET_TURNS = 100;
/** Longest wait for real work that is still under way: milliseconds, generous for a loaded machine. */
export const REAL_WORK_MS: number = 60_000;
/** Resources of ours, or virtual: they never bring a delivery by themselves. */
const SILENT = new Set(['Immediate', 'Timeout', 'TTYWrap', 'PipeWrap', 'TCPSocketWrap', 'TCPServerWrap', 'PipeServerWrap', 'TCPWRAP', 'PIPEWRAP']);
/** The thread of module hooks is real, and answers over one; all other ports are virtual. */
const isSilent = (resource: string): boolean => SILENT.has(resource) || (resource === 'MessagePort' && !isLoaded('internal/modules/esm/hooks'));

/** Whether real work is under way: what the runtime itself still has to bring. @param portsCount as {@link Scheduler.waitsOnPorts} */
export function isWorking(portsCount: boolean): boolean {
  return activeResources().some((resource) => !isSilent(resource) || (portsCount && resource === 'MessagePort'));
}

export class Scheduler {
  readonly #port: SchedulerPort;
  #scheduled = false;
  #stopped = false;
  #waitingFor: LaneEvent | undefined;
  #quiet = 0;
  #waitedMs = 0;
  #portsWork = false;

  constructor(port: SchedulerPort) {
    this.#port = port;
  }

  /** There may be something to deliver. */
  wake(): void {
    if (this.#scheduled || this.#stopped) return;
    this.#scheduled = true;
    this.#port.arm(this.#turn);
  }

  /** A message port may bring something that is in no recording. */
  waitsOnPorts(): void {
    this.#portsWork = true;
  }

  stop(): void {
    this.#stopped = true;
  }

  readonly #turn = (): void => {
    this.#scheduled = false;
    if (this.#stopped) return;
    const event = this.#port.next();
    if (!event) return this.#port.exhausted();
    if (event.type !== 'delivery') return this.#expectProgram(event);
    // The loop has to run empty by itself: nothing of ours may keep it alive now.
    if (event.kind === 'emitted') return;
    if (!this.#port.ready(event.operation)) return this.#wait(event);
    const early = this.#port.early(event);
    if (early > 0) return this.#sleep(early);
    this.#waitingFor = undefined;
    this.#port.deliver(event);
  };

  #expectProgram(event: LaneEvent): void {
    // An end by itself needs an empty loop.
    if (event.type === 'end' || (event.type === 'output' && event.kind === 'exit')) return;
    this.#wait(event);
  }

  /** The program, or real work, has the word. */
  #wait(event: LaneEvent): void {
    if (this.#waitingFor !== event) {
      this.#waitingFor = event;
      this.#quiet = 0;
      this.#waitedMs = 0;
    }
    if (++this.#quiet <= QUIET_TURNS) return this.wake();
    const working = isWorking(this.#portsWork) || event.type === 'delivery';
    if (!working || this.#waitedMs > REAL_WORK_MS) return this.#port.quiescent(event);
    this.#waitedMs++;
    this.#sleep(1);
  }

  #sleep(ms: number): void {
    this.#scheduled = true;
    ownTimeout(this.#turn, ms);
  }
}
