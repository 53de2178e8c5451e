/**
 * Loads modules out of the packs (scripts/packs.mjs): all of them in files that are read whole, each a function that runs when
 * it is first asked for.
 */
import { CHECK_BYTES, checkOf, compiledFile } from '../model/compiled.ts';

// Not imports: for each, Node would make a module of its own, with all its names.
const { mkdirSync, readFileSync, renameSync, writeFileSync } = process.getBuiltinModule('node:fs');
const { createRequire } = process.getBuiltinModule('node:module');
const { fileURLToPath } = process.getBuiltinModule('node:url');
const { Script } = process.getBuiltinModule('node:vm');

type Load = (id: string) => unknown;
type Module = (this: undefined, exports: object, require: Load, module: { exports: object }, later: (id: string) => Promise<unknown>, url: string, filename: string) => void;

/** Of the build: the modules of each pack. */
declare const PACKS: Readonly<Record<string, readonly string[]>>;

const url = import.meta.url;
const filename = fileURLToPath(url);
const folder = filename.slice(0, filename.lastIndexOf('/'));
const requireOfNode = createRequire(url);
/** Whose compiled code is taken and kept; undefined: nobody's. */
let verb: string | undefined;

class Pack {
  readonly #name: string;
  readonly #functions: Readonly<Record<string, Module>>;
  readonly #script: InstanceType<typeof Script>;
  readonly #code: Buffer;
  /** Modules whose code was compiled when it was kept. */
  readonly #known: ReadonlySet<string>;
  readonly #used = new Set<string>();

  constructor(name: string) {
    this.#name = name;
    this.#code = readFileSync(this.#path);
    const kept = this.#kept();
    // What esbuild writes is ASCII.
    this.#script = new Script(this.#code.latin1Slice(), { filename: this.#path, ...(kept && { cachedData: kept.data }) });
    // Made under other options of V8: those are the ones to be used again, not these.
    this.#known = new Set(this.#script.cachedDataRejected ? PACKS[name] : kept?.modules);
    this.#functions = this.#script.runInThisContext() as Readonly<Record<string, Module>>;
  }

  run(id: string): object {
    this.#used.add(id);
    const module = { exports: {} };
    loaded.set(id, module);
    (this.#functions[id] as Module).call(undefined, module.exports, load, module, later, url, filename);
    return module.exports;
  }

  /** Functions that nobody has called are not in it: it is kept at the end, and again when a verb has used other modules than before. */
  keep(): void {
    if ([...this.#used].every((id) => this.#known.has(id))) return;
    const modules = Buffer.from(JSON.stringify([...new Set([...this.#known, ...this.#used])]));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(modules.length);
    const data = Buffer.concat([this.#script.createCachedData(), modules, length]);
    mkdirSync(`${folder}/compiled`, { recursive: true });
    const draft = `${this.#file}.${process.pid}`;
    writeFileSync(draft, Buffer.concat([checkOf(this.#path, this.#code, data), data]));
    renameSync(draft, this.#file);
  }

  get #path(): string {
    return `${folder}/${this.#name}.cjs`;
  }

  get #file(): string {
    return compiledFile(folder, `${this.#name}-${verb}`);
  }

  #kept(): { readonly data: Buffer; readonly modules: readonly string[] } | undefined {
    if (verb === undefined) return undefined;
    try {
      const all = readFileSync(this.#file);
      const data = all.subarray(CHECK_BYTES);
      if (!checkOf(this.#path, this.#code, data).equals(all.subarray(0, CHECK_BYTES))) return undefined;
      const end = data.length - 4;
      const from = end - data.readUInt32LE(end);
      return { data: data.subarray(0, from), modules: JSON.parse(data.toString('utf8', from, end)) as string[] };
    } catch {
      return undefined;
    }
  }
}

const opened = new Map<string, Pack>();
const loaded = new Map<string, { readonly exports: object }>();

/** @param id as the modules name each other: `./NAME.mjs` */
export function load(id: string): unknown {
  if (!id.startsWith('./')) return requireOfNode(id);
  const name = id.slice(2, -'.mjs'.length);
  return (loaded.get(name) ?? { exports: packOf(name).run(name) }).exports;
}

/** @param id of a module of the packs, or what any `import()` takes: no path that is relative */
function later(id: string): Promise<unknown> {
  return id.startsWith('./') ? Promise.resolve().then(() => load(id)) : import(id);
}

function packOf(id: string): Pack {
  const [name] = Object.entries(PACKS).find(([, modules]) => modules.includes(id)) as [string, readonly string[]];
  let pack = opened.get(name);
  if (!pack) opened.set(name, (pack = new Pack(name)));
  return pack;
}

/** From now on code is taken that a process of the same verb has kept. */
export function takeKept(of: string): void {
  verb = of;
}

/** Keeps what this process has compiled, where that is more than was kept before. @throws Error of the file system */
export function keepCompiled(): void {
  for (const pack of opened.values()) pack.keep();
}
