/** Keys that say what they are: formats of known providers, each with the part that names it and is no secret. */
import type { SecretKind } from './secret.ts';

interface Format {
  /** What every key of this sort begins with; it stays readable. */
  readonly prefix: string;
  readonly rest: string;
  readonly kind: SecretKind;
}

const key = (prefix: string, rest: string): Format => ({ prefix, rest, kind: 'api key' });
const token = (prefix: string, rest: string): Format => ({ prefix, rest, kind: 'token' });

const FORMATS: readonly Format[] = [
  key('sk-ant-(?:api|admin|sid|oat)\\d{2}-', '[\\w-]{20,}'),
  key('sk-(?:proj|svcacct|admin|None|or-v1|lf)-', '[\\w-]{20,}'),
  key('sk-', '(?=[\\w-]*\\d)[A-Za-z0-9][\\w-]{18,}'),
  key('sess-', '[A-Za-z0-9]{32,}'),
  key('(?:AKIA|ASIA|ABIA|ACCA)', '[A-Z0-9]{16}(?![A-Za-z0-9])'),
  key('AIza', '[\\w-]{35}'),
  token('ya29\\.', '[\\w-]{20,}'),
  token('1//0', '[\\w-]{30,}'),
  key('GOCSPX-', '[\\w-]{24,}'),
  token('(?:ghp|gho|ghu|ghs|ghr)_', '[A-Za-z0-9]{30,}'),
  token('github_pat_', '[A-Za-z0-9_]{30,}'),
  token('(?:glpat|glptt|gldt|glrt|glcbt|glsoat|glft|glagent)-', '[\\w.-]{18,}'),
  token('xox[abceoprs]-(?:\\d+-)?', '[A-Za-z0-9-]{10,}'),
  token('xapp-\\d-', '[A-Za-z0-9-]{20,}'),
  key('https://hooks\\.slack\\.com/(?:services|workflows|triggers)/', '[\\w/]{20,}'),
  key('https://(?:canary\\.|ptb\\.)?discord(?:app)?\\.com/api/webhooks/\\d+/', '[\\w-]{30,}'),
  key('(?:sk|rk|pk)_(?:live|test)_', '[A-Za-z0-9]{16,}'),
  key('whsec_', '[A-Za-z0-9+/=]{20,}'),
  token('hf_', '[A-Za-z0-9]{30,}'),
  token('npm_', '[A-Za-z0-9]{36}'),
  token('pypi-', '[\\w-]{50,}'),
  token('dckr_(?:pat|oat)_', '[\\w-]{20,}'),
  key('gsk_', '[A-Za-z0-9]{32,}'),
  key('pplx-', '[A-Za-z0-9]{32,}'),
  key('xai-', '[A-Za-z0-9]{40,}'),
  token('r8_', '[A-Za-z0-9]{30,}'),
  key('SG\\.', '[\\w-]{16,}\\.[\\w-]{16,}'),
  key('key-', '[0-9a-f]{32}(?![0-9a-f])'),
  token('shp(?:at|ca|pa|ss)_', '[0-9a-fA-F]{32}'),
  token('dop_v1_', '[0-9a-f]{64}'),
  token('(?:hvs|hvb|hvr)\\.', '[\\w-]{24,}'),
  token('lin_(?:api|oauth)_', '[A-Za-z0-9]{32,}'),
  token('(?:secret|ntn)_', '[A-Za-z0-9]{40,}'),
  token('figd_', '[\\w-]{36,}'),
  token('tvly-', '[\\w-]{20,}'),
  token('lsv2_(?:pt|sk)_', '[0-9a-f_]{32,}'),
  token('AGE-SECRET-KEY-1', '[A-Z0-9]{50,}'),
  token('\\d{8,10}:AA', '[\\w-]{33}(?![\\w-])'),
  // A JSON Web Token: its claims are data, the signature is what it proves itself by.
  token('eyJ[\\w-]{10,}\\.[\\w-]{4,}\\.', '[\\w-]{20,}'),
];

const PRIVATE_KEY = '-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){40,}-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----';

const ANY = new RegExp(`(?<![A-Za-z0-9_])(?:${FORMATS.map(({ prefix, rest }) => `${prefix}${rest}`).join('|')})|${PRIVATE_KEY}`, 'g');
const PREFIXED: readonly (readonly [RegExp, SecretKind])[] = FORMATS.map(({ prefix, rest, kind }) => [new RegExp(`^(${prefix})${rest}$`), kind]);

export interface Recognised {
  readonly value: string;
  readonly kind: SecretKind;
}

/** @returns every key of a known format in a text. */
export function formatsIn(text: string): Recognised[] {
  const found: Recognised[] = [];
  for (const [value] of text.matchAll(ANY)) found.push({ value, kind: value.startsWith('-----') ? 'private key' : kindOf(value) });
  return found;
}

/** @returns the part of a key that names its sort, '' where it has none. */
export function prefixOf(value: string): string {
  for (const [format] of PREFIXED) {
    const prefix = format.exec(value)?.[1];
    if (prefix !== undefined) return prefix;
  }
  return '';
}

function kindOf(value: string): SecretKind {
  return PREFIXED.find(([format]) => format.test(value))?.[1] ?? 'token';
}
