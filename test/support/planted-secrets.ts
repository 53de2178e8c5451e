/** Secrets of every sort that the masking knows, and a search that finds them in whatever was made of a run, in any form. */
import { createHash, generateKeyPairSync } from 'node:crypto';
import zlib from 'node:zlib';

/** As many secrets for each call, none of which was ever in use. */
export type Planted = Readonly<Record<string, string>>;

const privateKey = (type: 'ed25519' | 'rsa'): string => {
  const pair = type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ed25519');
  return String(pair.privateKey.export({ type: 'pkcs8', format: 'pem' })).trim();
};

/** Put together, so that no scanner of repositories takes this file for a leak. */
const joined = (...parts: readonly string[]): string => parts.join('');
const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** By where the program has them from. */
export const PLANTED: Planted = {
  // Keys of known providers, each told by its form alone.
  openai: joined('sk-', 'proj-Tz4hV0nC8xQ2rB7mJ5wK1yL9pD3sF6gA'),
  openaiOld: joined('sk-', 'aV7cN2bM9xZ4qW8eR5tY1uI3oP6aS0dF'),
  anthropic: joined('sk-', 'ant-api03-Hq7Zc2Vx9Lk4Nb1Mw6Ty8Ur3Ep5Oi0As2Df4Gh6Jk8Ll0-Qw_Er'),
  aws: joined('AK', 'IAZQ3DRSTUVWXY2B7C'),
  google: joined('AI', 'zaSyD4kR8vT2nX6bL0hJ5gF9cW3qE7mZ1uY0p'),
  githubClassic: joined('gh', 'p_R7tY2uI9oP4aS6dF1gH8jK3lZ5xC0vB2nM4q'),
  githubFine: joined('github', '_pat_11ABCDEFG0aZ9yX8wV7uT6_sR5qP4oN3mL2kJ1iH0gF9eD8cB7aZ6yX5wV4uT3sR2qP1o'),
  gitlab: joined('gl', 'pat-Kx9_Tq4Vb7Nm2Rw8Zs5L'),
  slack: joined('xo', 'xb-214235346457-5687698790809-Ab3Cd5Ef7Gh9Ij1Kl3Mn5Op7'),
  stripe: joined('sk', '_live_51Hx8Zq2Lm4Np6Qr8St0Uv2Wx4'),
  huggingFace: joined('h', 'f_qWeRtYuIoPaSdFgHjKlZxCvBnM1234567Q'),
  npm: joined('np', 'm_8fK2nD7sQ0wZ5xL3vB9mC1aT6yR4uE2iO7pQ'),
  jwt: joined(base64url('{"alg":"RS256","typ":"JWT"}'), '.', base64url('{"sub":"agent-7","exp":4102444800}'), '.', 'd8Kf2Ls9Qw4Er7Ty1Ui6Op3As5Df0Gh8Jk2Zx4Cv6Bn9Mq1We3Rt5Yu7Io'),
  rsaKey: privateKey('rsa'),
  edKey: privateKey('ed25519'),
  // Told by the name beside them.
  bearer: 'q9Zt7Lw3Xc5Vb1Nm8Kj2Hg4Fd6Sa0Po',
  headerKey: '4f7a9c2e8b1d6053f8e2a7c4b9d10e63',
  proxyPassword: 'pr0xy-Pa55w0rd!',
  basicPassword: 'corr3ct:h0rse&battery=staple',
  urlPassword: 'u/rl+P@ss w0rd#9',
  queryKey: 'Gk5Hd7Js9Lq1Wn3Zb6Xv8Cm0',
  formSecret: 'cl13nt secret+with/odd=signs&more',
  jsonPassword: 'p"ass\\word\twith\nall 0f it',
  unicodePassword: 'pässwörd-Ünïcode-7日本',
  apiKeyMember: '7d1f3b5a-9c2e-4f60-8a1b-2c3d4e5f6071',
  answerToken: 'tok.9aB8cD7eF6gH5iJ4kL3mN2oP1q',
  refreshToken: 'rt_1Xy2Zw3Vu4Ts5Rq6Po7Nm8Lk9Ji0',
  setCookie: 's%3AfQ8zR2xK7vL4nJ9wP3mT6yB1.c5D0hG',
  cookie: 'e3b0c44298fc1c149afbf4c8996fb924',
  argument: 'cli-4rgument-Zx8Cv6Bn4M',
  childVariable: 'ch1ld-env-Lk7Jh5Gf3Ds1',
  ownVariable: 'Env1ronment-Secret-9Q8w7E6r',
  dotEnv: 'dOt-3nv-Vb6Nm8Kj0Hg2',
  credentialsFile: 'wJ4lrX7tnFEMI+K7MDENG/bPxRfiCYzEXAMPKEY9',
  netrc: 'n3trc-Pw-Qa1Ws2Ed3Rf4',
  mcpVariable: 'mcp-S3rver-Tok3n-Yh7Uj8Ik',
  cutByChunk: 'cut-By-Chunk-5Tg6Yh7Uj8Ik9Ol0P',
  cutByEvent: 'cut-By-Event-0Pl9Ok8Ij7Uh6Yg5T',
  gzipped: 'gz1p-Answer-1Qa2Ws3Ed4Rf5Tg6Yh',
  brotli: 'br0tli-Answer-6Yh5Tg4Rf3Ed2Ws1Qa',
  deflated: 'deflat3d-Answer-Zx1Cv2Bn3Mq4We5',
  ownRule: 'INTERNAL-0042-swordfish',
};

export interface Leak {
  readonly name: string;
  /** How it was hidden: `raw`, `base64`, `gzip › raw`, … */
  readonly form: string;
}

/** gzip and zlib in base64. */
const PACKED = /(?:H4sI|eJ|eN|eA|eF)[A-Za-z0-9+/_-]{16,}={0,2}/g;
const DEEPEST = 3;

/** Every planted secret that a reader with patience finds: raw, escaped, encoded, compressed, and one within another. */
export function findLeaks(bytes: Buffer, planted: Planted = PLANTED, depth = 0): Leak[] {
  const leaks = new Map<string, Leak>();
  const note = (found: readonly Leak[], form: string): void => {
    for (const leak of found) {
      const whole = { name: leak.name, form: form === '' ? leak.form : `${form} › ${leak.form}` };
      leaks.set(`${whole.name} ${whole.form}`, whole);
    }
  };
  for (const [name, value] of Object.entries(planted)) note(knownForms(value).flatMap(([form, encoded]) => (bytes.includes(encoded) ? [{ name, form }] : [])), '');
  if (depth === DEEPEST) return [...leaks.values()];
  for (const [form, unpacked] of unpackedFrom(bytes)) note(findLeaks(unpacked, planted, depth + 1), form);
  return [...leaks.values()];
}

/** @returns for each byte whether it belongs to a planted secret in some form, or stands beside one */
export function coveredBySecrets(bytes: Buffer, planted: Planted = PLANTED): Uint8Array {
  const covered = new Uint8Array(bytes.length);
  for (const [, encoded] of Object.values(planted).flatMap(knownForms)) {
    for (let at = bytes.indexOf(encoded); at >= 0; at = bytes.indexOf(encoded, at + 1)) covered.fill(1, Math.max(0, at - 2), at + encoded.length + 2);
  }
  return covered;
}

const known = new Map<string, [string, Buffer][]>();

function knownForms(value: string): [string, Buffer][] {
  const forms = known.get(value) ?? formsOf(value);
  known.set(value, forms);
  return forms;
}

function formsOf(value: string): [string, Buffer][] {
  const json = JSON.stringify(value).slice(1, -1);
  const texts: [string, string][] = [
    ['raw', value], ['JSON', json], ['JSON in JSON', JSON.stringify(json).slice(1, -1)], ['percent', encodeURIComponent(value)], ['form', new URLSearchParams([['', value]]).toString().slice(1)],
    ['hex', Buffer.from(value).toString('hex')], ['SHA-256', createHash('sha256').update(value).digest('hex')],
  ];
  const base64 = [0, 1, 2].map((before): [string, string] => {
    const encoded = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]).toString('base64').replace(/=+$/, '');
    return [`base64 at ${before}`, encoded.slice(before === 0 ? 0 : before + 1, -1)];
  });
  const all = [...texts, ...base64, ...base64.map(([form, text]): [string, string] => [form, text.replaceAll('+', '-').replaceAll('/', '_')])];
  return [...all.map(([form, text]): [string, Buffer] => [form, Buffer.from(text)]), ['UTF-16', Buffer.from(value, 'utf16le')]];
}

function unpackedFrom(bytes: Buffer): [string, Buffer][] {
  const found: [string, Buffer][] = [];
  for (let at = bytes.indexOf('1f8b08', 0, 'hex'); at >= 0; at = bytes.indexOf('1f8b08', at + 1, 'hex')) {
    const plain = attempt(() => zlib.gunzipSync(bytes.subarray(at), { finishFlush: zlib.constants.Z_SYNC_FLUSH }));
    if (plain) found.push(['gzip', plain]);
  }
  for (const [run] of bytes.latin1Slice().matchAll(PACKED)) {
    const plain = Buffer.from(run, 'base64');
    const unpacked = attempt(() => (plain[0] === 0x1f ? zlib.gunzipSync : zlib.inflateSync)(plain));
    if (unpacked) found.push(['base64', unpacked]);
  }
  return found;
}

function attempt(unpack: () => Buffer): Buffer | undefined {
  try {
    return unpack();
  } catch {
    return undefined;
  }
}
