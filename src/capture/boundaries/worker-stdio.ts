/** Standard streams of a worker thread travel as messages of the runtime's own. */
import { bufferConcat, bufferFrom } from '../../runtime/natives.ts';

type StreamName = 'stdin' | 'stdout' | 'stderr';

interface Payload {
  readonly type: 'stdioPayload';
  readonly stream: StreamName;
  readonly chunks: readonly { readonly chunk: string | Uint8Array | null; readonly encoding: BufferEncoding }[];
}

/** @returns what a message carries of one of these streams; undefined when it is something else */
export function printedBytes(message: unknown, ...streams: readonly StreamName[]): Buffer | undefined {
  const { type, stream, chunks } = Object(message) as Partial<Payload>;
  if (type !== 'stdioPayload' || stream === undefined || !streams.includes(stream) || !Array.isArray(chunks)) return undefined;
  return bufferConcat((chunks as Payload['chunks']).flatMap(({ chunk, encoding }) => (chunk === null ? [] : [typeof chunk === 'string' ? bufferFrom(chunk, encoding) : bufferFrom(chunk)])));
}
