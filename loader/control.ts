/** What the command line tells the preload, in one variable that the agent never sees. */
export const CONTROL = 'REPLAY_HARNESS_CONTROL';

export interface Control {
  /** NODE_OPTIONS as the user had it; null: unset. */
  readonly nodeOptions: string | null;
  readonly mode: 'record' | 'replay';
  readonly store: string;
  readonly run: string;
  readonly name?: string;
  readonly agent?: string;
  readonly tags?: Readonly<Record<string, string>>;
  /** File that the verdict is written to (replay). */
  readonly report?: string;
  /** Find the agent's line behind asynchronous work; nothing is printed. */
  readonly trace?: boolean;
  /** Variables that the user set for this replay. */
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments that replace the recorded ones. */
  readonly argv?: readonly string[];
}

/** Takes the control message out of the environment, and gives the environment back as the user had it. */
export function takeControl(env: NodeJS.ProcessEnv): Control | undefined {
  const text = env[CONTROL];
  if (text === undefined) return undefined;
  const control = JSON.parse(text) as Control;
  delete env[CONTROL];
  if (control.nodeOptions === null) delete env['NODE_OPTIONS'];
  else env['NODE_OPTIONS'] = control.nodeOptions;
  return control;
}
