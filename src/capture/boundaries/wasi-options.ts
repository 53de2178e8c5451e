/** What a WASI instance is made with. */
import { jsonStringify } from '../../runtime/natives.ts';

export interface WasiOptions {
  readonly version: unknown;
  readonly args: unknown;
  readonly env: unknown;
  readonly preopens: unknown;
  readonly returnOnExit: unknown;
  readonly stdin: unknown;
  readonly stdout: unknown;
  readonly stderr: unknown;
  /** Descriptors of the process that its standard streams stand for. */
  readonly streams: readonly number[];
  /** Paths of the preopened folders, in the order of their descriptors. */
  readonly folders: readonly string[];
}

/** What the program's options come to, each read once. @returns undefined for what the runtime refuses as a whole */
export function taken(given: unknown): WasiOptions | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  const { version, args, env, preopens, stdin, stdout, stderr, returnOnExit } = given as Readonly<Record<string, unknown>>;
  const folders = isRecord(preopens) ? Object.fromEntries(Object.entries(preopens).map(([inside, outside]) => [inside, String(outside)])) : preopens;
  return {
    version,
    args: Array.isArray(args) ? Array.from(args as unknown[], String) : args,
    env: isRecord(env) ? Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined).map(([name, value]) => [name, `${value as string}`])) : env,
    preopens: folders,
    returnOnExit,
    stdin,
    stdout,
    stderr,
    streams: [stdin, stdout, stderr].map((fd, own) => (isDescriptor(fd) ? fd : own)),
    folders: isRecord(folders) ? (Object.values(folders) as string[]) : [],
  };
}

/** The same for the runtime to look at, without a way out: what it refuses stays as it is. */
export function harmless(options: WasiOptions): WasiOptions {
  const standard = (fd: unknown, own: number): unknown => (isDescriptor(fd) ? own : fd);
  const { preopens, stdin, stdout, stderr } = options;
  return { ...options, preopens: isRecord(preopens) ? {} : preopens, stdin: standard(stdin, 0), stdout: standard(stdout, 1), stderr: standard(stderr, 2) };
}

/** @param own the program's environment: what is passed on of it is `null` */
export function keyOf({ version, args, env, preopens, streams }: WasiOptions, own: Readonly<Record<string, string | undefined>>): string {
  const variables = isRecord(env) && Object.fromEntries(Object.entries(env).map(([name, value]) => [name, own[name] === value ? null : value]));
  return jsonStringify([version, { ...(args !== undefined && { args }), ...(variables && { env: variables }), ...(preopens !== undefined && { preopens }), streams }]);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDescriptor(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31;
}
