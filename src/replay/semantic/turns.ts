/**
 * The only source of deliveries: recorded ones in recorded order, each in a macrotask of its own. One that the program
 * does not wait for, though it has nothing left to do, is put aside until it does.
 */
import { ownImmediate, ownTimeout } from '../../runtime/own.ts';
import { isWorking, REAL_WORK_MS } from '../scheduler.ts';
import type { Turn } from './recording.ts';

export interface TurnsPort {
  /** Whether the program waits for this. */
  isReady(turn: Turn): boolean;
  /** Whether real work will make it ready. */
  isUnderWay(turn: Turn): boolean;
  /** The program is held up by work of ours. */
  isBusy(): boolean;
  /** Takes the program's immediates off the runtime's queue. */
  clearQueue(): void;
  /** Delivers in a macrotask of its own, and calls `done` when that begins. */
  deliver(turn: Turn, done: () => void): void;
  /** Nobody waits for it. @returns whether something was done after which somebody may */
  mayCome(turn: Turn): boolean;
  /** All that can be delivered is. @returns whether something has come of it */
  ranDry(): boolean;
  /** Nothing has happened for long, and the program goes on. */
  isStuck(): void;
  /** Runs what the program waits for beyond its recording, in a macrotask of its own. @param until microseconds since the run began. @returns whether there was something */
  runExtra(until: number, done: () => void): boolean;
}

/** Turns of the loop that the runtime's own immediates get between two deliveries. */
const SETTLE_TURNS = 2;
/** Turns without a sign, after which the program counts as quiet; for what a version of the runtime does by itself, fewer. */
const QUIET_TURNS = 100;
const FEW_TURNS = 10;
/** Looks at a program that seems to hang, and how long each takes: milliseconds. Only a replay that has failed comes so far. */
const STUCK_ROUNDS = 20;
const STUCK_ROUND_MS = 100;
const BY_THE_RUNTIME = new Set(['timer', 'immediate', 'fired', 'finalized', 'emitted', 'completed']);

export class Turns {
  readonly #port: TurnsPort;
  readonly #turns: readonly Turn[];
  #aside: Turn[] = [];
  #next = 0;
  #isArmed = false;
  #isStopped = false;
  #settled = 0;
  #woken = 0;
  #quiet = 0;
  #waitedMs = 0;
  #portsCount = false;

  constructor(turns: readonly Turn[], port: TurnsPort) {
    this.#turns = turns;
    this.#port = port;
  }

  /** What has not been delivered. */
  get left(): readonly Turn[] {
    return [...this.#aside, ...this.#turns.slice(this.#next)];
  }

  /** The turn that is due. */
  get due(): Turn | undefined {
    return this.#turns[this.#next];
  }

  /** The program has done something. */
  wake(): void {
    this.#woken++;
    this.#quiet = 0;
    this.#waitedMs = 0;
    this.#arm();
  }

  stop(): void {
    this.#isStopped = true;
  }

  waitsOnPorts(): void {
    this.#portsCount = true;
  }

  /** Whether this turn has gone by. */
  isPast(turn: Turn): boolean {
    return turn.slot < (this.due?.slot ?? Infinity);
  }

  #arm(): void {
    if (this.#isArmed || this.#isStopped) return;
    this.#isArmed = true;
    ownImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    this.#isArmed = false;
    if (this.#isStopped) return;
    this.#port.clearQueue();
    if (this.#port.isBusy() || ++this.#settled <= SETTLE_TURNS) return this.#arm();
    const aside = this.#aside.findIndex((turn) => this.#port.isReady(turn));
    if (aside >= 0) return this.#deliver(this.#aside.splice(aside, 1)[0] as Turn);
    const { due } = this;
    if (!due) return this.#beyond();
    if (this.#port.runExtra(due.event.at, this.#done)) return;
    if (this.#port.isReady(due)) {
      this.#next++;
      return this.#deliver(due);
    }
    this.#wait(due);
  };

  readonly #done = (): void => {
    this.#settled = 0;
    this.wake();
  };

  #deliver(turn: Turn): void {
    this.#port.deliver(turn, this.#done);
  }

  #wait(due: Turn): void {
    if (!this.#isQuiet(due.pieces || !BY_THE_RUNTIME.has(due.event.kind) ? QUIET_TURNS : FEW_TURNS, this.#port.isUnderWay(due))) return;
    this.#quiet = 0;
    this.#waitedMs = 0;
    if (!this.#port.mayCome(due)) {
      this.#next++;
      this.#aside.push(due);
    }
    this.#arm();
  }

  /** Behind the last turn the loop has to run empty by itself: nothing of ours keeps it alive for longer than it takes to see. */
  #beyond(): void {
    if (!this.#isQuiet(QUIET_TURNS, false)) return;
    if (this.#port.runExtra(Infinity, this.#done)) return;
    if (this.#port.ranDry()) return this.wake();
    this.#watch(this.#woken, 0);
  }

  /** A loop that runs empty ends the program, and this with it. */
  #watch(woken: number, rounds: number): void {
    ownTimeout(() => {
      if (this.#isStopped || woken !== this.#woken) return;
      if (rounds < STUCK_ROUNDS || isWorking(this.#portsCount)) this.#watch(woken, rounds + 1);
      else this.#port.isStuck();
    }, STUCK_ROUND_MS).unref();
  }

  #isQuiet(turns: number, isUnderWay: boolean): boolean {
    if (++this.#quiet <= turns) {
      this.#arm();
      return false;
    }
    if (this.#waitedMs > REAL_WORK_MS || !(isUnderWay || isWorking(this.#portsCount))) return true;
    this.#waitedMs++;
    this.#isArmed = true;
    ownTimeout(this.#turn, 1);
    return false;
  }
}
