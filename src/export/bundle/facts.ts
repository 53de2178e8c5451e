/** Facts of a process that come in a bundle, held against what facts are: a replay starts a process by them. */
import { IntegrityError } from '../../model/error.ts';
import type { LaneEvent, RunFacts } from '../../model/event.ts';

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((entry) => typeof entry === 'string');
const isTextMap = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every((entry) => typeof entry === 'string');
const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
/** What the system takes as part of a program's environment or arguments. */
const NUL = '\0';

const CHECKS: Readonly<Partial<Record<keyof RunFacts, (value: unknown) => boolean>>> = {
  runId: isText, agent: isText, name: isText, tags: isTextMap, startedAt: isNumber, node: (value) => isText(value) && /^v\d+\.\d+\.\d+/.test(value as string), platform: isText, arch: isText, execPath: isText, execArgv: isTexts,
  argv: isTexts, argv0: isText, title: isText, cwd: isText, env: isTextMap, pid: isNumber, ppid: isNumber, stdio: (value) => Array.isArray(value) && value.length === 3 && value.every((kind) => ['tty', 'pipe', 'file', 'none'].includes(kind as string)),
  injected: (value) => typeof value === 'boolean', ipc: (value) => value === undefined || value === 'json' || value === 'advanced', nativeAddons: (value) => value === undefined || isTexts(value), surface: (value) => value === undefined || isNumber(value), seed: isText,
};

/** @throws IntegrityError */
export function checkFacts(events: readonly LaneEvent[], run: string, lane: number): void {
  const [begin] = events;
  if (!begin) return;
  const where = `the journal of run ${run}${lane === 0 ? '' : `, lane ${lane},`}`;
  if (begin.type !== 'begin') throw new IntegrityError(`${where} does not begin with the facts of a process`);
  const { facts } = begin;
  const wrong = Object.entries(CHECKS).find(([name, holds]) => !holds((facts as unknown as Record<string, unknown>)[name]))?.[0];
  if (wrong !== undefined) throw new IntegrityError(`${where} says something impossible of its process: its ${wrong}`);
  if (facts.runId !== run) throw new IntegrityError(`${where} belongs to run ${facts.runId.slice(0, 80)}`);
  if ([...facts.argv, ...facts.execArgv, facts.argv0, facts.cwd, ...Object.entries(facts.env).flat()].some((text) => text.includes(NUL))) throw new IntegrityError(`${where} has a NUL in the arguments or the environment of its process`);
  if (events.some((event) => event.type === 'begin' && event.seq > 0)) throw new IntegrityError(`${where} begins twice`);
}
