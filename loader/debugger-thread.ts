/**
 * A thread beside a program that is replayed in part. It holds the debugger's sessions and relays them to the command line,
 * over a descriptor that the process inherited: no port is opened, so that it works inside any sandbox.
 *
 * One JSON text a line. From the command line: `{open: id}`, `{close: id}`, `{to: id, message}`; to it: `{from: id, message}`.
 * Session 0 is the command line's own and always there.
 */
import { Session } from 'node:inspector';
import { workerData } from 'node:worker_threads';
import { ENDING, HALTED, READY } from '../src/model/halt.ts';

export interface ThreadData {
  readonly flags: SharedArrayBuffer;
  readonly fd: number;
  /** Of our own code, which debuggers step over. */
  readonly folder: string;
}

interface Message {
  readonly id: number;
  readonly method: string;
  readonly params?: object;
}

type Command = { readonly open: number } | { readonly close: number } | { readonly to: number; readonly message: Message };

/** What lets the program go on. */
const GOES_ON: ReadonlySet<string> = new Set(['Debugger.resume', 'Debugger.stepInto', 'Debugger.stepOver', 'Debugger.stepOut', 'Debugger.continueToLocation', 'Debugger.restartFrame', 'Runtime.terminateExecution']);
/** What runs code in the program: while it runs, nobody could tell that from the program's own. */
const EVALUATES: ReadonlySet<string> = new Set(['Runtime.evaluate', 'Runtime.callFunctionOn', 'Runtime.runScript', 'Runtime.awaitPromise']);
const NAME = 'stopHere';
const ASYNC_DEPTH = 32;

const { flags: memory, fd, folder } = workerData as ThreadData;
const { Socket } = process.getBuiltinModule('node:net');
const flags = new Int32Array(memory);
/** Not in the types of this standard library yet. */
const { waitAsync } = Atomics as unknown as { waitAsync: (memory: Int32Array, index: number, value: number) => { readonly value: Promise<string> | string } };
const socket = new Socket({ fd });
const sessions = new Map<number, Session>();
/** Scripts of the runtime's, and ours. */
const notTheProgram = new Set<string>();
const SKIPPED = ['^node:internal/', `^(?:file://)?${folder.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}/(?!stop\\.cjs)`];
let halted = false;
/** The program stands in a stop of ours, and not where a debugger stopped it. */
let inStop = false;
/** A step leads out of a stop of ours, and has not come to the program yet. */
let leaving = false;

function say(from: number, message: object): void {
  socket.write(`${JSON.stringify({ from, message })}\n`);
}

function open(id: number): void {
  const session = new Session();
  session.connectToMainThread();
  session.on('inspectorNotification', (message: { method: string; params: unknown }) => {
    const isOnTheWay = leaving && (message.method === 'Debugger.resumed' || (message.method === 'Debugger.paused' && !isInProgram(message.params as Paused)));
    if (id === 0) follow(message, isOnTheWay);
    if (isOnTheWay) return;
    say(id, message.method === 'Debugger.paused' ? { ...message, params: withoutOwn(message.params as Paused, id) } : message);
  });
  sessions.set(id, session);
}

interface Paused {
  readonly callFrames: readonly { readonly functionName: string; readonly location: { readonly scriptId: string } }[];
}

/** Another session may be told before session 0 is: only what it answers comes after both. */
function follow({ method, params }: { readonly method: string; readonly params: unknown }, isOnTheWay: boolean): void {
  if (method === 'Debugger.scriptParsed') {
    const { scriptId, url } = params as { scriptId: string; url: string };
    if (url.startsWith('node:') || url.includes(`${folder}/`)) notTheProgram.add(scriptId);
  }
  if (method !== 'Debugger.paused') return;
  if (isOnTheWay) return void (sessions.get(0) as Session).post('Debugger.stepOut');
  leaving = false;
  halted = true;
  inStop = (params as Paused).callFrames[0]?.functionName === NAME;
  Atomics.store(flags, HALTED, 1);
}

/** Another stop of ours counts as the program's: it is shown as such. */
function isInProgram({ callFrames: [top] }: Paused): boolean {
  return top === undefined || top.functionName === NAME || !notTheProgram.has(top.location.scriptId);
}

/** A debugger shows the program where it stands, and not what made it stand there. */
function withoutOwn(paused: Paused, id: number): Paused {
  if (id === 0 || paused.callFrames[0]?.functionName !== NAME) return paused;
  const first = paused.callFrames.findIndex(({ location }) => !notTheProgram.has(location.scriptId));
  return { ...paused, callFrames: first < 0 ? paused.callFrames : paused.callFrames.slice(first) };
}

function take(command: Command): void {
  if ('open' in command) return open(command.open);
  if ('close' in command) return close(command.close);
  const session = sessions.get(command.to);
  if (session) forward(session, command.to, command.message);
}

function close(id: number): void {
  sessions.get(id)?.disconnect();
  sessions.delete(id);
}

function forward(session: Session, from: number, { id, method, params }: Message): void {
  if (EVALUATES.has(method) && !halted) return say(from, { id, error: { code: -32_000, message: 'the replay is running: what is evaluated now would take part in it. Pause it first.' } });
  const goesOn = halted && GOES_ON.has(method);
  // Out of our own function: into whatever of the program's called it.
  const asked = goesOn && inStop && method.startsWith('Debugger.step') ? 'Debugger.stepOut' : method;
  if (goesOn) {
    leaving = asked === 'Debugger.stepOut' && inStop;
    halted = false;
    inStop = false;
    Atomics.store(flags, HALTED, 0);
  }
  session.post(asked, withSkipped(method, params), (error, result) => {
    say(from, error ? { id, error: { code: -32_000, message: error.message } } : { id, result: result ?? {} });
  });
  if (method === 'Debugger.enable') session.post('Debugger.setBlackboxPatterns', { patterns: SKIPPED });
}

function withSkipped(method: string, params: object | undefined): object {
  if (method !== 'Debugger.setBlackboxPatterns') return params ?? {};
  return { ...params, patterns: [...((params as { patterns?: string[] } | undefined)?.patterns ?? []), ...SKIPPED] };
}

let rest = '';
socket.setEncoding('utf8');
socket.on('data', (text: string) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop() as string;
  for (const line of lines) take(JSON.parse(line) as Command);
});
// Nobody is there any more who could let the program go on.
const abandoned = (): void => void process.kill(process.pid, 'SIGKILL');
socket.on('close', abandoned);
socket.on('error', () => {});

/** The program waits meanwhile. */
async function leaveAtEnd(): Promise<void> {
  await waitAsync(flags, ENDING, 0).value;
  for (const session of sessions.values()) session.disconnect();
  Atomics.store(flags, ENDING, 2);
  Atomics.notify(flags, ENDING);
}

void leaveAtEnd();
open(0);
const own = sessions.get(0) as Session;
own.post('Debugger.enable', {}, () => {
  own.post('Debugger.setAsyncCallStackDepth', { maxDepth: ASYNC_DEPTH }, () => {
    own.post('Debugger.setBlackboxPatterns', { patterns: SKIPPED }, () => {
      Atomics.store(flags, READY, 1);
      Atomics.notify(flags, READY);
    });
  });
});
