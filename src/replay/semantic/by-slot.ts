/** Recorded things in order, found by what they are: in the turn that it is now first, else the first that nobody has taken. */

interface Entry<T> {
  readonly slot: number;
  readonly thing: T;
  taken: boolean;
}

interface Row<T> {
  readonly entries: Entry<T>[];
  readonly bySlot: Map<number, Entry<T>[]>;
  /** Everything before is taken. */
  first: number;
  last: T | undefined;
}

export class BySlot<T> {
  readonly #rows: Map<string, Row<T>> = new Map();

  add(slot: number, kind: string, key: string, thing: T): void {
    const id = `${kind} ${key}`;
    let row = this.#rows.get(id);
    if (!row) this.#rows.set(id, (row = { entries: [], bySlot: new Map(), first: 0, last: undefined }));
    const entry = { slot, thing, taken: false };
    row.entries.push(entry);
    const inSlot = row.bySlot.get(slot);
    if (inSlot) inSlot.push(entry);
    else row.bySlot.set(slot, [entry]);
  }

  /** @param fits what else it has to be */
  take(slot: number, kind: string, key: string, fits?: (thing: T) => boolean): T | undefined {
    return this.takeHere(slot, kind, key, fits) ?? this.#takeAnywhere(kind, key, fits);
  }

  /** Only of this turn. */
  takeHere(slot: number, kind: string, key: string, fits?: (thing: T) => boolean): T | undefined {
    const row = this.#rows.get(`${kind} ${key}`);
    return row && takeFirst(row, row.bySlot.get(slot) ?? [], fits);
  }

  /** What was taken last of this kind and key. */
  last(kind: string, key: string): T | undefined {
    return this.#rows.get(`${kind} ${key}`)?.last;
  }

  knows(kind: string, key: string): boolean {
    return this.#rows.has(`${kind} ${key}`);
  }

  /** What nobody has taken. */
  left(kind: string, key: string): T[] {
    return (this.#rows.get(`${kind} ${key}`)?.entries ?? []).filter(({ taken }) => !taken).map(({ thing }) => thing);
  }

  allLeft(): T[] {
    return [...this.#rows.values()].flatMap(({ entries }) => entries.filter(({ taken }) => !taken).map(({ thing }) => thing));
  }

  #takeAnywhere(kind: string, key: string, fits?: (thing: T) => boolean): T | undefined {
    const row = this.#rows.get(`${kind} ${key}`);
    if (!row) return undefined;
    while (row.entries[row.first]?.taken) row.first++;
    return takeFirst(row, fits ? row.entries.slice(row.first) : row.entries.slice(row.first, row.first + 1), fits);
  }
}

function takeFirst<T>(row: Row<T>, among: readonly Entry<T>[], fits: ((thing: T) => boolean) | undefined): T | undefined {
  const entry = among.find(({ taken, thing }) => !taken && (fits === undefined || fits(thing)));
  if (!entry) return undefined;
  entry.taken = true;
  row.last = entry.thing;
  return entry.thing;
}
