/** Prints what the program prints, with what its children had printed in between, and holds it against the recording. */
import type { LaneEvent } from '../../model/event.ts';
import { bufferConcat } from '../../runtime/natives.ts';
import { Printer } from '../print.ts';
import { type LineDrift, PrintedLines } from './printed-lines.ts';
import type { Recording } from './recording.ts';

interface Relayed {
  readonly bytes: Buffer;
  /** Bytes that the program itself had printed before. */
  readonly behind: number;
  readonly seq: number;
}

interface Stream {
  readonly lines: PrintedLines;
  readonly relayed: Relayed[];
  printed: number;
}

export class StandardOutput {
  readonly #streams: Map<number, Stream> = new Map();
  readonly #printer: Printer;

  /** @param operations descriptor of each standard stream's operation */
  constructor({ events }: Recording, operations: ReadonlyMap<number, number>, sameRuntime: boolean) {
    this.#printer = new Printer(operations);
    for (const fd of [1, 2]) this.#streams.set(fd, streamOf(fd, events, sameRuntime));
  }

  /** @returns the first line that differs */
  write(operation: number, fd: number, bytes: Uint8Array): LineDrift | undefined {
    this.#printer.wrote(operation, bytes, false);
    const stream = this.#streams.get(fd) as Stream;
    stream.printed += bytes.length;
    return stream.lines.print(bytes);
  }

  /** @param seq number of the event that the replay has come to */
  reached(seq: number): void {
    for (const [fd, { lines, relayed, printed }] of this.#streams) {
      for (let [next] = relayed; next && next.seq < seq && next.behind <= printed; [next] = relayed) {
        relayed.shift();
        this.#printer.relayed(fd, next.bytes);
        lines.print(next.bytes);
      }
    }
  }

  /** Nothing more is printed. @returns the first line that differs, by descriptor */
  end(): [fd: number, drift: LineDrift][] {
    return [...this.#streams].flatMap(([fd, { lines }]) => {
      const drift = lines.end();
      return drift ? [[fd, drift] as [number, LineDrift]] : [];
    });
  }

  drifts(fd: number): LineDrift[] {
    return (this.#streams.get(fd) as Stream).lines.drifts();
  }
}

function streamOf(fd: number, events: readonly LaneEvent[], sameRuntime: boolean): Stream {
  const operations = new Set(events.flatMap((event) => (event.type === 'start' && event.kind === 'stdio' && event.key === `[${fd}]` ? [event.operation] : [])));
  const expected: Buffer[] = [];
  const relayed: Relayed[] = [];
  let behind = 0;
  for (const event of events) {
    if (event.type !== 'output') continue;
    if (event.kind === 'write' && operations.has(event.operation)) {
      expected.push(event.data);
      behind += event.data.length;
    } else if (event.kind === 'relayed' && event.status === fd) {
      expected.push(event.data);
      relayed.push({ bytes: event.data, behind, seq: event.seq });
    }
  }
  return { lines: new PrintedLines(bufferConcat(expected), sameRuntime), relayed, printed: 0 };
}
