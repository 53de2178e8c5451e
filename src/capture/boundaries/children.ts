/**
 * Child processes, at libuv's handles: all of `spawn`, `exec`, `execFile` and `fork` runs for real on top of them in both
 * modes. The pipes to a child are streams like any other. In replay nothing is started.
 */
import { binding, handlePrototypes } from '../../runtime/bindings.ts';
import { apply, bufferFrom, processEnv } from '../../runtime/natives.ts';
import { isOwn } from '../../runtime/own.ts';
import { type AnyFunction, calledAs, patchMethod } from '../../runtime/patches.ts';
import { readSpawn, replaceSpawn, type SpawnRequest, type StdioEntry } from '../../runtime/spawn-protocol.ts';
import { commandKey } from '../command-key.ts';
import { actValue } from '../read-value.ts';
import type { Session } from '../session.ts';
import type { Handles } from './handles.ts';
import { InheritedOutput } from './inherited-output.ts';

/** The environment that a child is really given, so that the Node processes below it are recorded too. */
export type Propagate = (operation: number, request: SpawnRequest) => { readonly env: readonly string[]; readonly run: string } | undefined;

/** What came of a start: libuv status, process id, and the id of the run that the child was given. */
type Spawned = readonly [code: number, pid: number | undefined, run?: string];

interface ProcessHandle {
  onexit: AnyFunction;
  pid?: number;
}

/** What a synchronous child is started with besides. */
interface SyncRequest extends SpawnRequest {
  readonly timeout?: number;
  readonly maxBuffer?: number;
  readonly killSignal?: number;
}

interface SyncResult {
  readonly output: (Buffer | null)[] | null;
}

const callExit = calledAs('onexit');

export interface Children {
  /** The program ends. */
  finish(): void;
}

export function installChildren(session: Session, handles: Handles, propagate: Propagate | undefined): Children {
  session.owns('PROCESSWRAP');
  const own = { ...processEnv } as Record<string, string>;
  const output = new InheritedOutput(session);
  const { process: prototype } = handlePrototypes();
  patchMethod(prototype, 'spawn', (native) => function spawn(this: ProcessHandle, ...args: unknown[]): unknown {
    if (isOwn()) return apply(native, this, args);
    const request = readSpawn(args);
    const { onexit } = this;
    const operation = handles.follow(this, 'process', commandKey(request, own), (_, status, signal) => void callExit(onexit, this, [status, signal.toString()]));
    for (const [fd, { handle, ipc, type }] of (request.stdio ?? []).entries()) {
      if (handle && type !== 'wrap') handles.adopt(handle, 'child-pipe', JSON.stringify([operation, fd, ipc ? 'ipc' : 'pipe']));
    }
    let runs = false;
    // Where there is no such program, the runtime itself calls it.
    this.onexit = function (status: number, signal: string) {
      if (!runs) return callExit(onexit, this, [status, signal]);
      return output.childEnded(operation, () => {
        session.arrived(operation, 'exited', status, bufferFrom(signal));
        callExit(onexit, this, [status, signal]);
      });
    };
    const [code, pid] = actValue<Spawned>(session, 'spawned', `[${operation}]`, spawn, () => {
      const child = propagate?.(operation, request);
      const diverted = output.divert(request.stdio, request.detached === true);
      const status = apply(native, this, replaceSpawn(args, { envPairs: child?.env ?? request.envPairs, stdio: diverted.stdio })) as number;
      runs = status === 0;
      if (runs) diverted.started(operation);
      else diverted.failed();
      return [status, this.pid, ...(runs && child ? [child.run] : [])] as unknown as Spawned;
    });
    if (pid !== undefined) this.pid = pid;
    return code;
  });
  patchMethod(prototype, 'kill', (native) => function kill(this: object, signal: number): unknown {
    const operation = handles.operationOf(this);
    if (operation === undefined) return apply(native, this, [signal]);
    return actValue(session, 'process-value', `["child.kill",${operation},${signal}]`, kill, () => apply(native, this, [signal]) as number);
  });
  patchMethod(binding('spawn_sync'), 'spawn', (native) => spawnSync(session, output, own, propagate, native));
  return { finish: () => output.finish() };
}

function spawnSync(session: Session, output: InheritedOutput, own: Readonly<Record<string, string>>, propagate: Propagate | undefined, native: AnyFunction): AnyFunction {
  return function spawn(this: unknown, request: SyncRequest): unknown {
    if (isOwn()) return apply(native, this, [request]);
    const { timeout, maxBuffer, killSignal } = request;
    const limits = { ...(timeout && { timeout }), ...(killSignal && { killSignal }), ...(maxBuffer !== undefined && { maxBuffer }) };
    const operation = session.operation('process', commandKey(request, own, { sync: true, ...limits }), () => false);
    for (const { input } of request.stdio ?? []) if (input) session.send(operation, 'write', viewOf(input), () => ({ code: 0, bytes: input.byteLength, async: 0 }));
    const result = actValue<SyncResult>(session, 'spawn-sync', `[${operation}]`, spawn, () => {
      const child = propagate?.(operation, request);
      const { streams, stdio } = divertAll(output, request, session);
      const result = apply(native, this, [{ ...request, ...(child && { envPairs: child.env }), ...(streams.size > 0 && { stdio, maxBuffer: Infinity }) }]) as SyncResult;
      for (const [index, fd] of streams) {
        const printed = result.output?.[index];
        if (result.output) result.output[index] = null;
        if (printed) output.pass(operation, fd, printed);
      }
      return result;
    });
    session.retire(operation);
    return result;
  };
}

/** A limit counts for everything that comes through pipes: with one, no output may take another way than it would. */
function divertAll(output: InheritedOutput, { stdio = [], maxBuffer, detached }: SyncRequest, session: Session): { streams: Map<number, 1 | 2>; stdio: readonly StdioEntry[] } {
  const streams = new Map<number, 1 | 2>();
  const replaced = stdio.map((entry, index): StdioEntry => {
    const fd = output.streamOf(entry, detached === true);
    if (fd === undefined) return entry;
    streams.set(index, fd);
    return { type: 'pipe', readable: false, writable: true };
  });
  const isLimited = maxBuffer !== undefined && maxBuffer !== Infinity && stdio.some(({ type, writable }) => type === 'pipe' && writable);
  if (streams.size === 0 || !isLimited) return { streams, stdio: replaced };
  session.mayDiffer('what a synchronous child process prints on one standard stream while another is read (stdio: inherit beside pipe)');
  return { streams: new Map(), stdio };
}

function viewOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return bufferFrom(buffer as ArrayBuffer, byteOffset, byteLength);
}
