/**
 * How a run that was recorded elsewhere is started: by the user's own command. Whoever made the file decides nothing that a
 * process is started by: no program, no option of Node, no variable that the system or Node acts upon. What the program sees
 * of its environment, its options and its name is restored within the process, where it is data.
 */
import { ConfigError } from '../model/error.ts';
import type { RunFacts } from '../model/event.ts';
import type { RunManifest } from '../model/run.ts';
import { loadsHarness } from './node-options.ts';

/** Variables that are read before the preload runs, and change no more than how text, colours and dates look. */
const HARMLESS = /^(?:TZ|LANG|LANGUAGE|LC_[A-Z]+|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|NODE_DISABLE_COLORS|NODE_NO_WARNINGS|NODE_ENV|UV_THREADPOOL_SIZE|HOME)$/;

/** Options that load nothing, write nothing and open nothing. */
const HARMLESS_OPTION = /^--(?:no-warnings|no-deprecation|trace-warnings|trace-deprecation|throw-deprecation|trace-uncaught|pending-deprecation|enable-source-maps|expose[-_]gc|preserve-symlinks|preserve-symlinks-main|experimental-strip-types|no-experimental-strip-types|experimental-transform-types|no-experimental-[a-z-]+|max-old-space-size=\d+|max-semi-space-size=\d+|stack-size=\d+|stack-trace-limit=\d+|unhandled-rejections=[a-z-]+|dns-result-order=[a-z0-9]+|max-http-header-size=\d+|disable-proto=[a-z]+|conditions=[\w-]+)$/;

/** @throws ConfigError where the user's own command is missing */
export function requireCommand({ id, imported }: RunManifest, command: readonly string[] | undefined, withChildren: boolean): void {
  if (imported && withChildren) throw new ConfigError(`Run ${id} was imported: its child processes are not started by what it recorded of them. Replay each by itself, with its program: replay-harness replay CHILD -- node PATH (replay-harness runs --tree lists them).`);
  if (imported && !command) throw new ConfigError(`Run ${id} was imported, and what it recorded of its command is not executed here. Say where your copy of the program lies: replay-harness replay ${id.slice(0, 13)} -- node PATH [ARGS…]`);
}

/** @throws ConfigError for a run of a program that was seen from outside: there is nothing to put between it and the world */
export function requireRecordedWithin({ id, captured }: RunManifest, verb: string): void {
  if (captured === undefined) return;
  throw new ConfigError(`Run ${id} was recorded through the proxy: of its program nothing but the HTTP traffic is known, and ${verb} works on programs that were recorded from within. Give the program its recorded answers instead: replay-harness serve ${id.slice(0, 13)} -- CMD`);
}

/** @param dist where this package lies @returns facts to start by */
export function startable(facts: RunFacts, command: readonly string[], dist: string): RunFacts {
  const entry = command.findIndex((word, index) => index > 0 && !word.startsWith('-'));
  const given = command.slice(1, Math.max(1, entry));
  const own = ownOptions(facts, dist);
  return {
    ...facts,
    execPath: process.execPath,
    argv: [process.execPath, ...facts.argv.slice(1)],
    argv0: /^(?!\.\.?$)[\w.+-]+$/.test(facts.argv0) ? facts.argv0 : 'node',
    execArgv: [...facts.execArgv.filter((option) => HARMLESS_OPTION.test(option)), ...own, ...given],
    injected: own.length === 0,
    env: { ...Object.fromEntries(Object.entries(facts.env).filter(([name]) => HARMLESS.test(name))), PATH: process.env['PATH'] ?? '' },
  };
}

/** @returns options of Node that were recorded and are not given to it: for people */
export function optionsLeftOut({ execArgv }: RunFacts): string[] {
  const left: string[] = [];
  for (let at = 0; at < execArgv.length; at++) {
    const option = execArgv[at] as string;
    if (HARMLESS_OPTION.test(option)) continue;
    const [name = '', value] = option.split(/=(.*)/s);
    const operand = value ?? (/^(?:-r|--require|--import)$/.test(name) ? execArgv[++at] : undefined);
    if (!loadsHarness(name, operand ?? '')) left.push(operand === undefined ? option : `${name} ${operand}`);
  }
  return left;
}

/** The harness by the way that the run had it, which decides how Node starts the program. */
function ownOptions({ execArgv, env, injected }: RunFacts, dist: string): string[] {
  if (injected) return [];
  const words = [...execArgv, ...(env['NODE_OPTIONS'] ?? '').split(/ +/)].flatMap((word) => word.split(/=(.*)/s).filter((part) => part !== ''));
  const at = words.findIndex((word, index) => loadsHarness(words[index - 1] ?? '', word));
  return words[at - 1] === '--import' ? ['--import', `${dist}/loader/register.mjs`] : ['--require', `${dist}/loader/preload.cjs`];
}
