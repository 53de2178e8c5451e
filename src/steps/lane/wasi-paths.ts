/** Paths of what an instance of WASI has open, by its descriptors. */
import type { LaneEvent, StartEvent, ValueEvent } from '../../model/event.ts';
import { bufferFrom } from '../../runtime/natives.ts';
import { asList, asObject, asText, parseJson } from '../json.ts';

const FIRST_FOLDER = 3;

export class WasiPaths {
  readonly #paths: Map<number, string>;

  constructor(start: StartEvent) {
    const folders = Object.values(asObject(asObject(asList(parseJson(start.key))[1])['preopens'])).map(String);
    this.#paths = new Map(folders.map((path, index) => [FIRST_FOLDER + index, path]));
  }

  of(fd: number): string | undefined {
    return this.#paths.get(fd);
  }

  /** @param name as a key has it: a text, or bytes that are none */
  in(folder: unknown, name: unknown): string {
    const inside = asText(name) ?? bufferFrom(asText(asObject(name)['bytes']) ?? '', 'hex').toString('latin1');
    return `${this.#paths.get(Number(folder)) ?? `descriptor ${String(folder)}`}/${inside}`;
  }

  renumbered(from: number, to: number): void {
    const path = this.#paths.get(from);
    this.#paths.delete(from);
    if (path !== undefined) this.#paths.set(to, path);
  }

  /** `path_open` went well. @returns the descriptor */
  opened({ data }: ValueEvent, [folder, , name]: readonly unknown[]): number {
    const fd = data.readUInt32LE(0);
    this.#paths.set(fd, this.in(folder, name));
    return fd;
  }
}

/** @returns the path that a write of a module goes to. @param events from the instance on @param write number of the event */
export function pathWrittenByWasi(events: readonly LaneEvent[], start: StartEvent, write: number): string | undefined {
  const paths = new WasiPaths(start);
  for (const event of events) {
    if (event.type !== 'value' || event.kind !== 'wasi-value') continue;
    const [name, operation, ...asked] = asList(parseJson(event.key));
    if (operation !== start.operation) continue;
    if (event.seq > write) return paths.of(Number(asked[0]));
    if (name === 'path_open' && event.status === 0) paths.opened(event, asked);
    if (name === 'fd_renumber' && event.status === 0) paths.renumbered(Number(asked[0]), Number(asked[1]));
  }
  return undefined;
}
