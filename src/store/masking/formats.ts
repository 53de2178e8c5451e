/** Keys that say what they are: formats of known providers, each with the part that names it and is no secret. */
import type { SecretKind } from './secret.ts';

interface Format {
  /** What every key of this sort begins with; it stays readable. */
  readonly prefix: string;
  readonly rest: string;
  readonly kind: SecretKind;
  /** The first three characters, by which it is looked for. */
  readonly starts: readonly string[];
}

const key = (prefix: string, rest: string, ...starts: readonly string[]): Format => ({ prefix, rest, kind: 'api key', starts });
const token = (prefix: string, rest: string, ...starts: readonly string[]): Format => ({ prefix, rest, kind: 'token', starts });

const FORMATS: readonly Format[] = [
  key('sk-ant-(?:api|admin|sid|oat)\\d{2}-', '[\\w-]{20,}', 'sk-'),
  key('sk-(?:proj|svcacct|admin|None|or-v1|lf)-', '[\\w-]{20,}', 'sk-'),
  key('sk-', '(?=[\\w-]*\\d)[A-Za-z0-9][\\w-]{18,}', 'sk-'),
  key('sess-', '[A-Za-z0-9]{32,}', 'ses'),
  key('(?:AKIA|ASIA|ABIA|ACCA)', '[A-Z0-9]{16}(?![A-Za-z0-9])', 'AKI', 'ASI', 'ABI', 'ACC'),
  key('AIza', '[\\w-]{35}', 'AIz'),
  token('ya29\\.', '[\\w-]{20,}', 'ya2'),
  token('1//0', '[\\w-]{30,}', '1//'),
  key('GOCSPX-', '[\\w-]{24,}', 'GOC'),
  token('(?:ghp|gho|ghu|ghs|ghr)_', '[A-Za-z0-9]{30,}', 'ghp', 'gho', 'ghu', 'ghs', 'ghr'),
  token('github_pat_', '[A-Za-z0-9_]{30,}', 'git'),
  token('(?:glpat|glptt|gldt|glrt|glcbt|glsoat|glft|glagent)-', '[\\w.-]{18,}', 'glp', 'gld', 'glr', 'glc', 'gls', 'glf', 'gla'),
  token('xox[abceoprs]-(?:\\d+-)?', '[A-Za-z0-9-]{10,}', 'xox'),
  token('xapp-\\d-', '[A-Za-z0-9-]{20,}', 'xap'),
  key('https://hooks\\.slack\\.com/(?:services|workflows|triggers)/', '[\\w/]{20,}', 'htt'),
  key('https://(?:canary\\.|ptb\\.)?discord(?:app)?\\.com/api/webhooks/\\d+/', '[\\w-]{30,}', 'htt'),
  key('(?:sk|rk|pk)_(?:live|test)_', '[A-Za-z0-9]{16,}', 'sk_', 'rk_', 'pk_'),
  key('whsec_', '[A-Za-z0-9+/=]{20,}', 'whs'),
  token('hf_', '[A-Za-z0-9]{30,}', 'hf_'),
  token('npm_', '[A-Za-z0-9]{36}', 'npm'),
  token('pypi-', '[\\w-]{50,}', 'pyp'),
  token('dckr_(?:pat|oat)_', '[\\w-]{20,}', 'dck'),
  key('gsk_', '[A-Za-z0-9]{32,}', 'gsk'),
  key('pplx-', '[A-Za-z0-9]{32,}', 'ppl'),
  key('xai-', '[A-Za-z0-9]{40,}', 'xai'),
  token('r8_', '[A-Za-z0-9]{30,}', 'r8_'),
  key('SG\\.', '[\\w-]{16,}\\.[\\w-]{16,}', 'SG.'),
  key('key-', '[0-9a-f]{32}(?![0-9a-f])', 'key'),
  token('shp(?:at|ca|pa|ss)_', '[0-9a-fA-F]{32}', 'shp'),
  token('dop_v1_', '[0-9a-f]{64}', 'dop'),
  token('(?:hvs|hvb|hvr)\\.', '[\\w-]{24,}', 'hvs', 'hvb', 'hvr'),
  token('lin_(?:api|oauth)_', '[A-Za-z0-9]{32,}', 'lin'),
  token('(?:secret|ntn)_', '[A-Za-z0-9]{40,}', 'sec', 'ntn'),
  token('figd_', '[\\w-]{36,}', 'fig'),
  token('tvly-', '[\\w-]{20,}', 'tvl'),
  token('lsv2_(?:pt|sk)_', '[0-9a-f_]{32,}', 'lsv'),
  token('AGE-SECRET-KEY-1', '[A-Z0-9]{50,}', 'AGE'),
  token('RH-IDENTITY-', '[\\w-]{43}', 'RH-'),
  // A JSON Web Token: its claims are data, the signature is what it proves itself by.
  token('eyJ[\\w-]{10,}\\.[\\w-]{4,}\\.', '[\\w-]{20,}', 'eyJ'),
];

const PRIVATE_KEY: Format = {
  prefix: '-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----', rest: '(?:[^-]|-(?!----)){40,}-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----', kind: 'private key', starts: ['---'],
};

const PREFIXED: readonly RegExp[] = FORMATS.map(({ prefix, rest }) => new RegExp(`^(${prefix})${rest}$`));

export interface Recognised {
  readonly value: string;
  readonly kind: SecretKind;
}

interface Start {
  readonly form: RegExp;
  readonly kind: SecretKind;
}

const START_BITS = 15;
const START_MASK = (1 << START_BITS) - 1;
/** Formats by a hash of their first three characters. */
const STARTS: (readonly Start[] | undefined)[] = new Array<undefined>(START_MASK + 1).fill(undefined);
const HAS_START: Uint8Array = new Uint8Array(START_MASK + 1);
for (const { prefix, rest, kind, starts } of [...FORMATS, PRIVATE_KEY]) {
  const start: Start = { form: new RegExp(`${prefix}${rest}`, 'y'), kind };
  for (const text of starts) {
    const hash = hashOf(text.charCodeAt(0), text.charCodeAt(1), text.charCodeAt(2));
    STARTS[hash] = [...(STARTS[hash] ?? []), start];
    HAS_START[hash] = 1;
  }
}

function hashOf(first: number, second: number, third: number): number {
  return (first << 10 ^ second << 5 ^ third) & START_MASK;
}

/** @returns every key of a known format in a text. */
export function formatsIn(text: string): Recognised[] {
  const found: Recognised[] = [];
  let [before, first, second] = [0, 0, text.charCodeAt(0)];
  for (let at = 1; at < text.length; at++) {
    const third = text.charCodeAt(at);
    const hash = (first << 10 ^ second << 5 ^ third) & START_MASK;
    if (HAS_START[hash] === 1 && !isWord(before)) {
      const recognised = keyAt(text, at - 2, STARTS[hash] as readonly Start[]);
      if (recognised) {
        found.push(recognised);
        at += recognised.value.length - 3;
        [before, first, second] = [text.charCodeAt(at - 2), text.charCodeAt(at - 1), text.charCodeAt(at)];
        continue;
      }
    }
    before = first;
    first = second;
    second = third;
  }
  return found;
}

function keyAt(text: string, at: number, starts: readonly Start[]): Recognised | undefined {
  for (const { form, kind } of starts) {
    form.lastIndex = at;
    const value = form.exec(text)?.[0];
    if (value !== undefined) return { value, kind };
  }
  return undefined;
}

function isWord(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f;
}

/** @returns the part of a key that names its sort, '' where it has none. */
export function prefixOf(value: string): string {
  for (const format of PREFIXED) {
    const prefix = format.exec(value)?.[1];
    if (prefix !== undefined) return prefix;
  }
  return '';
}
