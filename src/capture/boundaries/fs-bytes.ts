/** The bytes that calls of the fs binding take from the program's buffers, and put there. */
import type { Outcome } from '../../model/value.ts';
import { bufferConcat, bufferFrom } from '../../runtime/natives.ts';

/** What a writing call writes, whatever its form. Not a copy where there is one buffer. */
export function writtenBytes(name: string, args: readonly unknown[]): Uint8Array {
  switch (name) {
    case 'writeString':
      return bufferFrom(args[1] as string, (typeof args[3] === 'string' ? args[3] : 'utf8') as BufferEncoding);
    case 'writeFileUtf8':
      return bufferFrom(args[1] as string, 'utf8');
    case 'writeBuffers':
      return bufferConcat((args[1] as ArrayBufferView[]).map(viewOf));
    default: {
      const offset = Number(args[2] ?? 0);
      const whole = args[1] as ArrayBufferView;
      return partOf(whole, offset, args[3] === undefined ? whole.byteLength - offset : Number(args[3]));
    }
  }
}

/** A plain view: the making of a Buffer is so much code that V8 takes tens of milliseconds to compile whatever calls it often. */
function partOf({ buffer, byteOffset, byteLength }: ArrayBufferView, from: number, length: number): Uint8Array {
  const start = Math.min(from, byteLength);
  return new Uint8Array(buffer, byteOffset + start, Math.max(0, Math.min(length, byteLength - start)));
}

export function viewOf(view: ArrayBufferView): Buffer {
  return bufferFrom(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength);
}

/** With the bytes that a read put into the program's buffers. */
export function withBytes(name: string, args: readonly unknown[], result: unknown): Outcome {
  if (typeof result !== 'number') return { result };
  if (name === 'read') return { result, bytes: partOf(args[1] as ArrayBufferView, Number(args[2]), result) };
  const bytes = new Uint8Array(result);
  let at = 0;
  for (const buffer of args[1] as ArrayBufferView[]) {
    const part = viewOf(buffer).subarray(0, result - at);
    bytes.set(part, at);
    at += part.length;
  }
  return { result, bytes };
}

/** @param from where in what was read these bytes begin (`read` only) */
export function fill(name: string, args: readonly unknown[], bytes: Uint8Array, from: number = 0): void {
  if (name === 'read') {
    viewOf(args[1] as ArrayBufferView).set(bytes, Number(args[2]) + from);
    return;
  }
  let at = 0;
  for (const buffer of args[1] as ArrayBufferView[]) {
    const part = bytes.subarray(at, at + buffer.byteLength);
    viewOf(buffer).set(part);
    at += part.length;
  }
}
