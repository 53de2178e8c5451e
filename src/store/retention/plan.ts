/** What the retention of the configuration asks for at this moment. */
import { ageOf, DEFAULT_INCIDENTS, DEFAULT_POLICY, type Policy, type Retention } from '../../model/retention.ts';
import type { Tombstone } from '../../model/run.ts';
import { isHere, type RunTree } from './trees.ts';

export interface Action {
  readonly tree: RunTree;
  /** `archive`: the journals go to the archive; `expire`: they go for good, out of the archive as well. */
  readonly do: 'archive' | 'expire';
  readonly why: Exclude<Tombstone['why'], 'erased'>;
}

export interface PlanOptions {
  /** Absent: age removes nothing. */
  readonly retention?: Retention | undefined;
  /** Bytes. */
  readonly cap: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** @param trees oldest first */
export function planOf(trees: readonly RunTree[], { retention, cap, now }: PlanOptions): Action[] {
  const aged = retention ? trees.flatMap((tree) => dueOf(tree, retention, now)) : [];
  return [...aged, ...overCap(trees.filter((tree) => !aged.some((action) => action.tree === tree)), retention, cap)];
}

function dueOf(tree: RunTree, retention: Retention, now: number): Action[] {
  if (tree.runs.some(({ status, damage }) => status === 'recording' || damage)) return [];
  const { payload, archive } = policyOf(tree, retention);
  const age = now - tree.since;
  const isIn = tree.runs.some(isHere);
  const hasCopy = tree.runs.some(({ manifest }) => manifest.archived && !manifest.gone);
  if (retention.to === undefined || archive <= payload) return isIn && age >= payload ? [{ tree, do: 'expire', why: 'expired' }] : [];
  if ((isIn || hasCopy) && age >= archive) return [{ tree, do: 'expire', why: 'expired' }];
  return isIn && age >= payload ? [{ tree, do: 'archive', why: 'expired' }] : [];
}

/** Milliseconds, of the policy that keeps longest of those that fit. */
export function policyOf({ runs, root: { manifest } }: Pick<RunTree, 'runs' | 'root'>, retention: Retention): { readonly payload: number; readonly archive: number } {
  const own = Object.entries(retention.tags ?? {}).filter(([tag]) => hasTag(manifest.tags, tag)).map(([, policy]) => ({ ...DEFAULT_POLICY, ...ownPolicy(retention), ...policy }));
  const isIncident = 'incident' in manifest.tags || runs.some(({ status, manifest: { exitCode, signal } }) => status === 'truncated' || signal !== null || (exitCode ?? 0) !== 0);
  const fitting: readonly Required<Policy>[] = [...(own.length > 0 ? own : [{ ...DEFAULT_POLICY, ...ownPolicy(retention) }]), ...(isIncident ? [{ ...DEFAULT_INCIDENTS, ...retention.incidents }] : [])];
  return { payload: Math.max(...fitting.map(({ payload }) => ageOf(payload))), archive: Math.max(...fitting.map(({ archive }) => ageOf(archive))) };
}

function ownPolicy({ payload, archive }: Retention): Policy {
  return { ...(payload !== undefined && { payload }), ...(archive !== undefined && { archive }) };
}

function hasTag(tags: Readonly<Record<string, string>>, tag: string): boolean {
  const at = tag.indexOf('=');
  return at < 0 ? tag in tags : tags[tag.slice(0, at)] === tag.slice(at + 1);
}

/** The oldest first, whole ones before those that were cut off; never what is being recorded, and never the newest. */
function overCap(trees: readonly RunTree[], retention: Retention | undefined, cap: number): Action[] {
  let total = trees.reduce((sum, { bytes }) => sum + bytes, 0);
  const candidates = trees.slice(0, -1).filter(({ runs, bytes }) => bytes > 0 && runs.every(({ status, damage }) => status !== 'recording' && !damage));
  const isWhole = ({ runs }: RunTree): boolean => runs.every(({ status }) => status === 'complete');
  const actions: Action[] = [];
  for (const tree of [...candidates.filter(isWhole), ...candidates.filter((candidate) => !isWhole(candidate))]) {
    if (total <= cap) break;
    actions.push({ tree, do: retention?.to === undefined ? 'expire' : 'archive', why: 'disk cap' });
    total -= tree.bytes;
  }
  return actions;
}
