// A small compliance register for the sample agents: what is known against a clause in a jurisdiction.
import { hex } from './random.mjs';

/** @type {Record<string, { clause: string, risk: 'low' | 'high', note: string }>} */
const JURISDICTIONS = {
  DE: { clause: 'retention of title', risk: 'low', note: 'enforceable as agreed' },
  FR: { clause: 'retention of title', risk: 'low', note: 'enforceable if agreed in writing before delivery' },
  GB: { clause: 'retention of title', risk: 'high', note: 'void against a liquidator unless registered within 21 days' },
  'US-NY': { clause: 'retention of title', risk: 'high', note: 'treated as a security interest, needs a filing' },
};

/**
 * `GET /compliance/jurisdictions?code=GB`. The lookup is exact: a part of a country that has no entry of
 * its own gets an empty list, whatever is known of the country.
 * @param {string} method
 * @param {string} path with its query
 * @param {import('./random.mjs').Random} random
 * @returns {{ status: number, body: object } | undefined} undefined when it is not this API's path
 */
export function answerCompliance(method, path, random) {
  const [pathname, query] = path.split('?');
  if (pathname !== '/compliance/jurisdictions') return undefined;
  if (method !== 'GET') return { status: 405, body: { error: `${method} is not allowed here` } };
  const code = new URLSearchParams(query).get('code');
  if (!code) return { status: 400, body: { error: 'code is required' } };
  const entry = Object.hasOwn(JURISDICTIONS, code) ? JURISDICTIONS[code] : undefined;
  const entries = entry ? [{ code, ...entry }] : [];
  return { status: 200, body: { code, entries, lookup: `lk_${hex(random, 16)}` } };
}
