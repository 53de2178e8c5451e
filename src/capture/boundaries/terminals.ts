/**
 * Terminals: sizes, and what is a terminal, are values of the run. A run that was recorded at a terminal and is replayed without one sees streams
 * of the terminal's classes all the same, on top of whatever its descriptors are.
 */
import { handlePrototypes } from '../../runtime/bindings.ts';
import { apply, defineProperty, jsonStringify } from '../../runtime/natives.ts';
import { patchGetter, patchMethod } from '../../runtime/patches.ts';
import { readValue } from '../read-value.ts';
import type { Session } from '../session.ts';
import type { Handles } from './handles.ts';

type StandardStream = NodeJS.WriteStream & { _type: string; _handle: object; _refreshSize(): void };

export function installTerminals(session: Session, handles: Handles): void {
  const { tty } = handlePrototypes();
  patchMethod(tty, 'getWindowSize', (native) => function getWindowSize(this: object, size: number[]): unknown {
    return windowSize(session, size, () => [apply(native, this, [size]) as number, ...size]);
  });
  patchMethod(tty, 'setRawMode', (native) => function (this: object, raw: boolean): unknown {
    return session.effect(() => apply(native, this, [raw]), 0);
  });
  patchMethod(process.getBuiltinModule('node:tty'), 'isatty', (native) => function isatty(this: unknown, fd: number): unknown {
    const live = (): boolean => apply(native, this, [fd]) as boolean;
    if (fd === 0 || fd === 1 || fd === 2) return session.isTerminal(fd, live);
    return readValue(session, 'handle-value', jsonStringify(['isatty', fd]), isatty, live);
  });
  for (const [fd, name] of ['stdin', 'stdout', 'stderr'].entries()) {
    let known = false;
    patchGetter(process, name, (native) => function (this: unknown): unknown {
      const stream = apply(native, this, []) as StandardStream;
      if (known) return stream;
      known = true;
      if (stream.isTTY) handles.isStandardStream(stream._handle, fd);
      if (session.playsTerminal(fd)) dress(session, stream, fd);
      return stream;
    });
  }
}

function dress(session: Session, stream: StandardStream, fd: number): void {
  const { ReadStream, WriteStream } = process.getBuiltinModule('node:tty');
  Object.setPrototypeOf(stream, fd === 0 ? ReadStream.prototype : WriteStream.prototype);
  stream._type = 'tty';
  stream.isTTY = true;
  defineProperty(stream._handle, 'setRawMode', { value: () => 0, configurable: true });
  defineProperty(stream._handle, 'getWindowSize', { value: (size: number[]) => windowSize(session, size, () => [0, ...size]), configurable: true });
  if (fd === 0) return void Object.assign(stream, { isRaw: false });
  const size = [0, 0];
  windowSize(session, size, () => [0, 0, 0]);
  stream.columns = size[0] as number;
  stream.rows = size[1] as number;
  // As Node does for a terminal's streams.
  process.on('SIGWINCH', () => stream._refreshSize());
}

function windowSize(session: Session, size: number[], live: () => number[]): number {
  const [code = 0, columns = 0, rows = 0] = readValue(session, 'handle-value', '["getWindowSize"]', windowSize, live);
  size[0] = columns;
  size[1] = rows;
  return code;
}
