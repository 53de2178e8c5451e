/** A sandbox by unshare(1) of util-linux or busybox, and mounts: namespaces of its own for network, processes and files. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isAtOrBelow, isBelow, type Mount, mounts } from './mounts.ts';
import type { View } from './view.ts';

/** Their files are the kernel's own; writing to them is the kernel's to allow. */
const KERNEL = /^(?:proc|sysfs|devpts|mqueue|cgroup2?|securityfs|debugfs|tracefs|bpf|pstore|configfs|fusectl|hugetlbfs|binfmt_misc|autofs|nsfs|efivarfs|rpc_pipefs)$/;
/** Any folder that the program does not need while its view is built. */
const STAGE = '/sys';

export interface Tools {
  readonly mount: string;
  readonly umount: string;
  readonly mkdir: string;
  readonly chroot: string;
  readonly sh: string;
}

export interface ScriptOptions {
  /** The script is the first process of a namespace of its own. */
  readonly ownProcesses: boolean;
  /** It runs in a user namespace. */
  readonly asUser: boolean;
  /** What the program is started by, with options. */
  readonly by: readonly string[];
  /** Where the program is looked up. */
  readonly bin: string;
}

/** A shell script that builds the view in a mount namespace of its own, and then runs "$@". */
export function viewScript(view: View, tools: Tools, options: ScriptOptions): string {
  return new Script(view, tools, options).build();
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

class Script {
  readonly #view: View;
  readonly #tools: Tools;
  readonly #options: ScriptOptions;
  readonly #overlayOptions: string;
  readonly #lines: string[] = [];
  readonly #mounts = mounts();
  /** Where the view's root is while it is built. */
  #root = '';
  #staged = 0;

  constructor(view: View, tools: Tools, options: ScriptOptions) {
    this.#view = view;
    this.#tools = tools;
    this.#options = options;
    this.#overlayOptions = options.asUser ? ',userxattr' : '';
  }

  build(): string {
    const { writable, scratch, hidden, masked, sockets, kept, bound } = this.#view;
    const made = bound.map(({ there }) => ({ there, above: existing(there) })).filter(({ there, above }) => there !== above);
    const stay = writable.map((folder) => [folder, this.#stage(folder, '--bind')] as const);
    const overlaid = [...new Set([...scratch, ...made.map(({ above }) => above).filter((above) => above !== '/' && !scratch.some((folder) => isAtOrBelow(above, folder)))])];
    this.#protect();
    if (made.some(({ above }) => above === '/')) this.#newRoot();
    for (const folder of overlaid) this.#overlay(folder);
    for (const { there } of made) this.#run(this.#tools.mkdir, '-p', this.#at(there));
    const again = kept.map((path) => [path, this.#stage(path, '--rbind')] as const);
    for (const folder of hidden) this.#mount('-t tmpfs -o mode=0755 tmpfs', this.#at(folder));
    for (const [path, stage] of again) this.#putBack(path, stage);
    // In an overlay nobody listens.
    const heard = sockets.filter((path) => this.#root === '' && !overlaid.some((folder) => isAtOrBelow(path, folder)));
    for (const path of [...masked, ...heard]) this.#lines.push(`${quote(this.#tools.mount)} --bind /dev/null ${quote(this.#at(path))} || [ ! -e ${quote(this.#at(path))} ]`);
    for (const { here, there } of bound) this.#mount(`--rbind ${quote(this.#at(here))}`, this.#at(there));
    for (const [folder, stage] of stay) this.#mount(`--bind ${quote(stage)}`, this.#at(folder));
    for (const { above } of made) if (overlaid.includes(above) && !scratch.includes(above)) this.#mount('-o remount,bind,ro', this.#at(above));
    if (this.#root === '') this.#run(this.#tools.umount, '-l', STAGE);
    return this.#last();
  }

  /** Everything that a file system holds is there to read. */
  #protect(): void {
    const covered = this.#view.hidden.filter((folder) => !this.#view.kept.some((path) => isAtOrBelow(path, folder)));
    const seen = new Set<string>();
    for (const { at, type, options } of this.#mounts) {
      if (seen.has(at) || !options.includes('rw') || KERNEL.test(type) || isAtOrBelow(at, STAGE) || covered.some((folder) => isAtOrBelow(at, folder))) continue;
      seen.add(at);
      this.#mount(`-o ${readOnly({ options })}`, at);
    }
  }

  /** Folders at the very top can only be made in a root of one's own. */
  #newRoot(): void {
    const upper = this.#fresh();
    const root = this.#fresh();
    this.#mount(`-t overlay -o lowerdir=/,upperdir=${upper},workdir=${this.#fresh()}${this.#overlayOptions} overlay`, root);
    const tops = new Set(this.#mounts.map(({ at }) => at).filter((at) => at !== '/' && !isAtOrBelow(at, STAGE)));
    for (const at of tops) if (![...tops].some((other) => isBelow(at, other))) this.#mount(`--rbind ${quote(at)}`, `${root}${at}`);
    this.#root = root;
  }

  /** Shows the folder with writes that go elsewhere; what is mounted below it does not shine through by itself. */
  #overlay(folder: string): void {
    const inner = [...new Set(this.#mounts.map(({ at }) => at))].filter((at) => isBelow(at, folder) && existsSync(at));
    const outer = inner.filter((at) => !inner.some((other) => isBelow(at, other)));
    // Their own root is writable to nobody else already.
    if (this.#root !== '' && !this.#mounts.some(({ at }) => at === folder)) return;
    const staged = outer.map((at) => [at, this.#stage(at, '--rbind')] as const);
    const path = this.#at(folder);
    this.#mount(`-t overlay -o ${quote(`lowerdir=${path},upperdir=${this.#fresh()},workdir=${this.#fresh()}${this.#overlayOptions}`)} overlay`, path);
    for (const [at, stage] of staged) this.#mount(`--rbind ${quote(stage)}`, this.#at(at));
  }

  #putBack(path: string, stage: string): void {
    this.#run(this.#tools.mkdir, '-p', this.#at(path));
    this.#mount(`--rbind ${quote(stage)}`, this.#at(path));
  }

  #last(): string {
    const { ownProcesses, by, bin } = this.#options;
    const { cwd } = this.#view;
    const proc = ownProcesses ? [`${quote(this.#tools.mount)} -t proc -o nosuid,nodev,noexec proc /proc`] : [];
    const sys = this.#mounts.find(({ at, options }) => at === STAGE && options.includes('rw'));
    const begin = ['set -e', ...(sys ? [`${quote(this.#tools.mount)} -o ${readOnly(sys)} ${STAGE}`] : []), `${quote(this.#tools.mount)} -t tmpfs -o mode=0755 tmpfs ${STAGE}`, [this.#tools.mkdir, ...Array.from({ length: this.#staged }, (_, index) => `${STAGE}/${index + 1}`)].map(quote).join(' ')];
    const end = [...proc, `cd ${quote(cwd)}`, 'echo started >&2', 'set +e', `export PATH=${quote(bin)}`, [...by.map(quote), '"$@" 2>&9 9>&-'].join(' '), 'exit $?'];
    if (this.#root === '') return [...begin, ...this.#lines, ...end].join('\n');
    return [...begin, ...this.#lines, `exec ${quote(this.#tools.chroot)} ${this.#root} ${quote(this.#tools.sh)} -c ${quote(['set -e', ...end].join('\n'))} sh "$@"`].join('\n');
  }

  #stage(path: string, how: string): string {
    const stage = this.#fresh();
    this.#mount(`${how} ${quote(this.#at(path))}`, stage);
    return stage;
  }

  #fresh(): string {
    return `${STAGE}/${++this.#staged}`;
  }

  #at(path: string): string {
    return `${this.#root}${path}`;
  }

  #mount(what: string, where: string): void {
    this.#lines.push(`${quote(this.#tools.mount)} ${what} ${quote(where)}`);
  }

  #run(...words: string[]): void {
    this.#lines.push(words.map(quote).join(' '));
  }
}

/** In a user namespace the other options have to stay. */
function readOnly({ options }: Pick<Mount, 'options'>): string {
  return ['remount', 'bind', 'ro', ...options.filter((option) => option !== 'rw')].join(',');
}

function existing(path: string): string {
  return existsSync(path) ? path : existing(dirname(path));
}
