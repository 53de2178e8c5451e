/** The same request twice, and each time something came of it. */
import { asNumber, asObject, asText, canonicalJson, isObject } from '../json.ts';
import type { Step } from '../step.ts';
import { listed } from './listed.ts';
import type { Notable } from './notable.ts';

/** Methods that only ask. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
const NAMED = 3;

export function duplicateEffects(steps: readonly Step[]): Notable[] {
  const alike = new Map<string, Step[]>();
  for (const step of steps) {
    if (step.kind !== 'tool' || (step.boundary !== 'http' && step.boundary !== 'http2') || step.error) continue;
    const { method, url, body } = asObject(step.input);
    const status = statusOf(step);
    if (SAFE.has(asText(method) ?? 'GET') || status < 200 || status > 299) continue;
    const key = canonicalJson([method, url, body]);
    alike.set(key, [...(alike.get(key) ?? []), step]);
  }
  return [...alike.values()].flatMap((same): Notable[] => {
    const bodies = same.map(bodyOf);
    // The same answer may be one effect: the server knew the request again.
    if (new Set(bodies.map(canonicalJson)).size < 2) return [];
    const [first] = same as [Step];
    const statuses = [...new Set(same.map(statusOf))].join(' and ');
    const all = same.length === 2 ? 'both' : `all ${same.length}`;
    return [{ what: 'duplicate-effect', steps: same.map(({ step }) => step), text: `${listed(same.map(({ step }) => step)).replace(/, (\d+)$/, ' and $1')} sent the same ${first.name}; ${all} ${statuses}, answers differ${differing(bodies)}` }];
  });
}

function statusOf(step: Step): number {
  return asNumber(asObject(step.output)['status']) ?? 0;
}

function bodyOf(step: Step): unknown {
  return asObject(step.output)['body'] ?? null;
}

/** @returns in which members, of objects: ` (refund)`. */
function differing(bodies: readonly unknown[]): string {
  if (!bodies.every(isObject)) return '';
  const names = [...new Set(bodies.flatMap((body) => Object.keys(body)))].filter((name) => new Set(bodies.map((body) => canonicalJson(body[name]))).size > 1);
  return ` in ${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ', …' : ''}`;
}
