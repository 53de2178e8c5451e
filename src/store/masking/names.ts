/** Names that stand beside secrets: of headers, members, fields, variables and options. */
import type { SecretKind } from './secret.ts';

const PASSWORDS = new Set(['password', 'passwd', 'pwd', 'pass', 'passphrase', 'passcode', 'pw', 'pgpassword', 'userpassword', 'mypassword', 'otp', 'pin']);
const SECRETS = new Set(['secret', 'secrets', 'clientsecret', 'appsecret', 'totp', 'mnemonic']);
const TOKENS = new Set(['token', 'tokens', 'jwt', 'bearer', 'authorization', 'auth', 'accesstoken', 'refreshtoken', 'idtoken', 'authtoken', 'apitoken', 'credential', 'credentials', 'assertion', 'otp']);
const SESSIONS = new Set(['sessionid', 'sessid', 'sid', 'phpsessid', 'jsessionid', 'cookie']);
const KEYS = new Set(['apikey', 'apikeys', 'authkey', 'accesskey', 'secretkey', 'privatekey', 'signingkey', 'encryptionkey', 'masterkey', 'sharedkey', 'accountkey', 'appkey', 'licensekey', 'subscriptionkey', 'webhookkey', 'consumerkey', 'servicekey', 'sessionkey', 'deploykey', 'sshkey', 'pgpkey', 'publishablekey', 'storagekey', 'primarykey', 'keydata']);
const BEFORE_KEY = new Set(['api', 'auth', 'access', 'secret', 'private', 'signing', 'signature', 'encryption', 'master', 'shared', 'account', 'app', 'application', 'license', 'subscription', 'webhook', 'consumer', 'service', 'session', 'deploy', 'ssh', 'storage', 'hmac', 'jwt', 'cookie', 'fernet', 'aes', 'rsa', 'client', 'admin', 'openai', 'anthropic', 'gemini', 'google', 'azure', 'stripe']);
/** What may follow the name of a secret: which one it is. */
const FURTHER = new Set(['prod', 'production', 'dev', 'test', 'testing', 'staging', 'live', 'sandbox', 'old', 'new', 'current', 'previous', 'primary', 'secondary', 'value', 'string', 'b64', 'base64', 'plain', 'raw', 'header', 'base', 'id', '1', '2', '3', '4', '5', '6', '7', '8', '9', '0']);
/** What counts, finds a page or is public. */
const NO_SECRET_TOKENS = new Set(['max', 'min', 'total', 'prompt', 'completion', 'input', 'output', 'page', 'next', 'previous', 'prev', 'continuation', 'sync', 'cursor', 'stop', 'eos', 'bos', 'pad', 'special', 'cached', 'reasoning', 'num', 'count', 'unk']);
const SESSION_NAMES = new Set(['session', 'csrf', 'xsrf']);

/** @returns what a value of this name is, undefined where the name says nothing */
export function kindOfName(name: string): SecretKind | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  if (KNOWN.has(name)) return KNOWN.get(name);
  const kind = readName(name);
  if (KNOWN.size < KNOWN_AT_MOST) KNOWN.set(name, kind);
  return kind;
}

const LONGEST_NAME = 128;
/** The same names come again and again. */
const KNOWN = new Map<string, SecretKind | undefined>();
const KNOWN_AT_MOST = 10_000;

function readName(name: string): SecretKind | undefined {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2').toLowerCase().split(/[^a-z0-9]+/).filter(Boolean);
  for (let end = words.length; end > 0; end--) {
    const kind = kindOfWords(words.slice(0, end), words.slice(end));
    if (kind) return kind;
    if (!FURTHER.has(words[end - 1] as string)) return undefined;
  }
  return undefined;
}

function kindOfWords(words: readonly string[], behind: readonly string[]): SecretKind | undefined {
  const last = words.at(-1) as string;
  const before = words.at(-2) ?? '';
  if (PASSWORDS.has(last)) return 'password';
  if (SECRETS.has(last)) return 'secret';
  if (KEYS.has(last) || (last === 'key' && BEFORE_KEY.has(before))) return 'api key';
  if (SESSIONS.has(last) || (SESSION_NAMES.has(before) && ['id', 'token', 'key'].includes(last))) return 'token';
  // The id of a token is none, that of a session is.
  if (behind.includes('id')) return SESSION_NAMES.has(last) ? 'token' : undefined;
  return TOKENS.has(last) && !NO_SECRET_TOKENS.has(before) ? 'token' : undefined;
}

const SECRET_HEADERS = /^(?:proxy-)?authorization$|^authentication$|api-?key$|[-_](?:token|secret|auth|password|signature|credential)$|^x-auth|^apikey$|^x-(?:.+-)?key$|session(?:-id)?$/i;

/** @returns whether the value of a header is a credential; cookies have forms of their own */
export function isSecretHeader(name: string): boolean {
  return SECRET_HEADERS.test(name) && !/^sec-websocket|idempotency|^(?:surrogate|cache)-key$|-public-key$/i.test(name);
}

/** Fields of a query by which a URL proves itself. */
export function isSignatureField(name: string): boolean {
  return /^(?:sig|signature|x-amz-signature|x-amz-credential|x-amz-security-token|x-goog-signature|x-goog-credential|hmac|awsaccesskeyid)$/i.test(name);
}

const CREDENTIAL_FILES = new RegExp(
  `(?:^|/)(?:${[
    '\\.env(?:\\.[\\w.-]+)?', '\\.envrc', '[\\w.-]+\\.env', '[\\w.@-]*\\.(?:pem|key|p8|ppk|jks)', 'id_(?:rsa|ed25519|ecdsa|dsa)', 'credentials', '[\\w.-]*credentials?[\\w.-]*\\.(?:json|ya?ml|toml|ini|csv)', '[._]netrc', '\\.npmrc',
    '\\.yarnrc(?:\\.yml)?', '\\.pypirc', '\\.git-credentials', '\\.pgpass', '\\.my\\.cnf', '\\.dockercfg', '\\.docker/config\\.json', 'kubeconfig', '\\.kube/config', '[\\w.-]*secrets?[\\w.-]*\\.(?:ya?ml|json|toml|env|ini|txt)',
    '(?:service[-_]?account|application_default_credentials)[\\w.-]*\\.json', '\\.vault-token', 'auth\\.json', 'gh/hosts\\.yml', '[\\w.-]*token(?:\\.txt)?', 'secrets/[\\w./-]+', '\\.htpasswd', '\\.databrickscfg', '\\.s3cfg', '\\.boto',
  ].join('|')})$`,
  'i',
);

/** @returns whether a file is there to keep credentials */
export function isCredentialFile(path: string): boolean {
  return CREDENTIAL_FILES.test(path);
}
