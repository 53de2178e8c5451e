/**
 * Node's internal bindings: the objects on which all of Node's own JavaScript calls into libuv.
 * Everything that depends on their shape (signatures per version) is in this folder.
 */

export interface StreamBinding {
  readonly streamBaseState: Int32Array;
  readonly kReadBytesOrError: number;
  readonly kArrayBufferOffset: number;
  readonly kBytesWritten: number;
  readonly kLastWriteWasAsync: number;
  /** Node 24 and later. */
  readonly kLastWriteErr?: number;
  readonly WriteWrap: new () => object;
}

export interface Prototypes {
  readonly tcp: object;
  readonly pipe: object;
  readonly tty: object;
  /** LibuvStreamWrap: reads and writes of TCP, Pipe and TTY. */
  readonly stream: object;
  /** HandleWrap: close, ref, unref. */
  readonly handle: object;
  readonly tls: object;
  /** Process: a child. */
  readonly process: object;
}

type Constructor = new (...args: never[]) => object;
type Binding = Record<string, unknown>;

const processBinding = (process as unknown as { binding: (name: string) => Binding }).binding.bind(process);

/** @throws Error where the runtime denies it (`--permission`). */
export function binding(name: string): Binding {
  // Access to some bindings warns once per process (DEP0111); the agent must not see a warning that is ours.
  const flags = process as unknown as { noDeprecation?: boolean };
  // With --no-deprecation it is set already, and cannot be written.
  if (flags.noDeprecation) return processBinding(name);
  const before = Object.getOwnPropertyDescriptor(process, 'noDeprecation');
  flags.noDeprecation = true;
  try {
    return processBinding(name);
  } finally {
    if (before) Object.defineProperty(process, 'noDeprecation', before);
    else delete flags.noDeprecation;
  }
}

/** Whether Node has loaded this module of its own. */
export function isLoaded(internal: string): boolean {
  return (process as unknown as { moduleLoadList: readonly string[] }).moduleLoadList.includes(`NativeModule ${internal}`);
}

export interface HttpParser {
  readonly prototype: object;
  readonly kOnHeaders: number;
  readonly kOnBody: number;
}

/** Loads Node's HTTP modules, which alone still give it away on Node 24 and later. */
export function httpParser(): HttpParser {
  return (process.getBuiltinModule('_http_common') as unknown as { HTTPParser: HttpParser }).HTTPParser;
}

export function streamBinding(): StreamBinding {
  return binding('stream_wrap') as unknown as StreamBinding;
}

export function handlePrototypes(): Prototypes {
  const tcp = (binding('tcp_wrap')['TCP'] as Constructor).prototype as object;
  const stream = Object.getPrototypeOf(tcp) as object;
  return {
    tcp,
    stream,
    handle: Object.getPrototypeOf(stream) as object,
    pipe: (binding('pipe_wrap')['Pipe'] as Constructor).prototype as object,
    tty: (binding('tty_wrap')['TTY'] as Constructor).prototype as object,
    tls: (binding('tls_wrap')['TLSWrap'] as Constructor).prototype as object,
    process: (binding('process_wrap')['Process'] as Constructor).prototype as object,
  };
}
