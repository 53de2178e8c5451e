import type { MatchConfig } from '../src/model/config.ts';
import type { Swap } from '../src/replay/fork/order.ts';

/** What the command line tells the preload, in one variable that the agent never sees. */
export const CONTROL = 'REPLAY_HARNESS_CONTROL';

export interface Control {
  /** What was put before the user's NODE_OPTIONS, to be taken out again; null: nothing. */
  readonly injected: string | null;
  /** Whether NODE_OPTIONS was set at all. */
  readonly hadNodeOptions: boolean;
  readonly mode: 'record' | 'replay';
  /** File for the compiled code of the bundle: the program is one of ours, which runs for the sake of that. */
  readonly compileTo?: string;
  readonly store: string;
  /** The run to replay; when recording, the id of the first one below the command. */
  readonly run: string;
  /** The recorded run that started the process. */
  readonly parent?: string;
  /** Public keys to seal to: a child may be started without a home. */
  readonly recipients?: readonly string[];
  readonly name?: string;
  readonly agent?: string;
  readonly tags?: Readonly<Record<string, string>>;
  /** base64url: what opens this run and no other (replay). A replayed process has no use for the user's private key. */
  readonly runKey?: string;
  /** A folder that is there for the time of the replay, and can be written in any sandbox. */
  readonly temporary?: string;
  /** File that the verdict is written to (replay). */
  readonly report?: string;
  /** File that a process makes when it has said why it is not recorded (record) or not replayed (replay): the contract's exit code, or nothing. */
  readonly refusal?: string;
  /** The code was changed on purpose: replay by meaning, and list all differences. */
  readonly loose?: boolean;
  /** Deliver nothing before its recorded time. */
  readonly realtime?: boolean;
  /** What does not count when requests are compared. */
  readonly match?: MatchConfig;
  /** Find the agent's line behind asynchronous work; nothing is printed. */
  readonly trace?: boolean;
  /** Variables that the user set for this replay. */
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments that replace the recorded ones. */
  readonly argv?: readonly string[];
  /** Of a partial replay. */
  readonly halts?: HaltControl;
  readonly fork?: ForkControl;
}

export interface ForkControl {
  /** Number of the step that is the first to be live, or to be answered otherwise. */
  readonly at: number;
  /** Id of the new run. */
  readonly run: string;
  /** Where its journal is written. */
  readonly folder: string;
  readonly recipients: readonly string[];
  /** Inherited descriptor on which the peer of all connections is talked to. */
  readonly fd: number;
  readonly swap?: Swap | undefined;
  /** Whether a refused connection is an error to the program, and not its end. */
  readonly survives: boolean;
}

export interface HaltControl {
  /** Numbers of the steps to stop before, ascending. */
  readonly steps: readonly number[];
  /** Numbers of calls of the agent's own code to stop at, too. */
  readonly origins: readonly number[];
  /** Go to the last step without a stop, write into this file which call each came from, and end. */
  readonly found?: string;
  /** Inherited descriptor on which the debugger is talked to. */
  readonly fd: number;
}


/** Takes the control message out of the environment, and gives the environment back as the user had it. */
export function takeControl(env: NodeJS.ProcessEnv): Control | undefined {
  const text = env[CONTROL];
  if (text === undefined) return undefined;
  const control = JSON.parse(text) as Control;
  delete env[CONTROL];
  // Launchers add options of their own on the way: those stay.
  const options = env['NODE_OPTIONS'];
  if (control.injected === null || options === undefined) return control;
  const left = options.includes(`${control.injected} `) ? options.replace(`${control.injected} `, '') : options.replace(control.injected, '').trimEnd();
  if (left === '' && !control.hadNodeOptions) delete env['NODE_OPTIONS'];
  else env['NODE_OPTIONS'] = left;
  return control;
}
