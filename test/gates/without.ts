/**
 * The package with gates that can be left out, one by one: each `install…` of the interception surface, and each entry of the
 * lists by which a boundary patches one method after the other. Built once; what is left out stands in a file beside the bundle.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { build, type Plugin, transformSync } from 'esbuild';
import { AS_FUNCTION } from '../../scripts/as-function.mjs';
import { DIST, ROOT } from '../support/paths.ts';

const BOUNDARIES = join(ROOT, 'src/capture/boundaries');
const SURFACE = 'index.ts';
const INSTALL = /\b(install[A-Z]\w*)\(/g;
const LIST = /^(?:export )?const ([A-Z][A-Z0-9_]*)\b(?:: [^=]*)? = (?=[[{])/gm;

/** `installDns`, `clock.ts/installIntl` for one that a boundary itself calls, or `fs.ts/CALLS/stat`. */
export type Gate = string;

/** What the variants read before anything is patched. */
const SWITCHES = `
const off = new Set(JSON.parse(process.getBuiltinModule('node:fs').readFileSync(__dirname + '/without.json', 'utf8')));
const anything = new Proxy({}, { get: () => () => undefined });
export const gate = (name, install) => (off.has(name) ? () => anything : install);
export const list = (name, entries) => {
  for (const key of Object.keys(entries).reverse()) {
    if (!off.has(name + '/' + (Array.isArray(entries) ? entries[key] : key))) continue;
    if (Array.isArray(entries)) entries.splice(Number(key), 1);
    else delete entries[key];
  }
};
`;

/** Gates by name; lists that hold nothing but names of what is patched, by `file/LIST`. */
export function gates(): { readonly installs: readonly string[]; readonly lists: ReadonlyMap<string, readonly string[]> } {
  const lists = new Map<string, readonly string[]>();
  const installs = new Set<Gate>();
  for (const file of readdirSync(BOUNDARIES).filter((name) => name.endsWith('.ts'))) {
    const source = readFileSync(join(BOUNDARIES, file), 'utf8');
    for (const line of source.split('\n').filter(isCall)) for (const [, name = ''] of line.matchAll(INSTALL)) installs.add(placed(file, name));
    for (const [name, entries] of listsOf(source, lists)) lists.set(`${file}/${name}`, entries);
  }
  return { installs: [...installs], lists };
}

/** The variant; a copy per gate is made from it. */
export class Variants {
  readonly #folder: string = mkdtempSync(join(tmpdir(), 'replay-harness-gates-'));
  #count = 0;

  async build(): Promise<void> {
    await build({
      bundle: true, absWorkingDir: ROOT, platform: 'node', target: 'node20.20', format: 'cjs', logLevel: 'warning', plugins: [switches()], ...AS_FUNCTION,
      entryPoints: { record: join(ROOT, 'loader/record-entry.ts'), replay: join(ROOT, 'loader/replay-entry.ts') },
      outdir: join(this.#folder, 'all/loader'), outExtension: { '.js': '.cjs' },
    });
    for (const part of ['cli', 'loader/preload.cjs', 'loader/register.mjs']) cpSync(join(DIST, part), join(this.#folder, 'all', part), { recursive: true });
  }

  /** @returns the folder of a package without these gates */
  without(...names: readonly Gate[]): string {
    const folder = join(this.#folder, `${++this.#count}`);
    cpSync(join(this.#folder, 'all'), folder, { recursive: true });
    writeFileSync(join(folder, 'loader/without.json'), JSON.stringify(names));
    return folder;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function switches(): Plugin {
  return {
    name: 'switches',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^test:switches$/ }, ({ path }) => ({ path, namespace: 'switches' }));
      onLoad({ filter: /.*/, namespace: 'switches' }, () => ({ contents: SWITCHES, loader: 'js' }));
      onLoad({ filter: /\/src\/capture\/boundaries\/[\w-]+\.ts$/ }, ({ path }) => {
        const source = readFileSync(path, 'utf8');
        return { contents: `import { gate as __gate, list as __list } from 'test:switches';\n${switchedInstalls(switchedLists(source, basename(path)), basename(path))}`, loader: 'ts' };
      });
    },
  };
}

function isCall(line: string): boolean {
  return !/^import |\bfunction install/.test(line);
}

/** The surface itself goes without its file's name. */
function placed(file: string, name: string): Gate {
  return file === SURFACE ? name : `${file}/${name}`;
}

function switchedInstalls(source: string, file: string): string {
  return source.split('\n').map((line) => (isCall(line) ? line.replace(INSTALL, (_, name: string) => `__gate('${placed(file, name)}', ${name})(`) : line)).join('\n');
}

function switchedLists(source: string, file: string): string {
  let switched = source;
  for (const { name, statement } of [...statements(source)].reverse()) {
    const end = switched.indexOf(statement) + statement.length;
    switched = `${switched.slice(0, end)}\n__list('${file}/${name}', ${name});${switched.slice(end)}`;
  }
  return switched;
}

function statements(source: string): { readonly name: string; readonly statement: string }[] {
  return [...source.matchAll(LIST)].map((match) => {
    const rest = source.slice(match.index);
    return { name: match[1] as string, statement: rest.slice(0, rest.search(/[\]}](?: as const)?;\n/) + (/[\]}]( as const)?;\n/.exec(rest) as RegExpExecArray)[0].length - 1) };
  });
}

/** By running the statements alone: a list may be made of others, of the same file or one that it imports. */
function listsOf(source: string, others: ReadonlyMap<string, readonly string[]>): Map<string, readonly string[]> {
  const scope: Record<string, unknown> = Object.fromEntries([...others].map(([place, entries]) => [place.split('/')[1] as string, entries]));
  const found = new Map<string, readonly string[]>();
  for (const { name, statement } of statements(source)) {
    const { code } = transformSync(statement.replace(/^export /, ''), { loader: 'ts' });
    const value = valueOf(`(() => { ${code}\nreturn ${name}; })()`, scope);
    scope[name] = value;
    const entries = Array.isArray(value) ? (value as unknown[]) : Object.keys(value as object);
    if (entries.every((entry) => typeof entry === 'string')) found.set(name, entries);
  }
  return found;
}

/** What is made by functions of the sources is no list of names. */
function valueOf(code: string, scope: Readonly<Record<string, unknown>>): unknown {
  try {
    return runInNewContext(code, { ...scope });
  } catch {
    return [undefined];
  }
}
