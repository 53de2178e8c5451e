/** Credentials in the heads of HTTP messages. */
import type { Header } from '../../steps/http1.ts';
import type { Findings } from './findings.ts';
import { isSecretHeader, isSignatureField, kindOfName } from './names.ts';
import type { MaskRules } from './rules.ts';

export function findInHeaders(headers: readonly Header[], rules: MaskRules, findings: Findings): void {
  for (const [name, value] of headers) {
    if (rules.isHeader(name)) findings.add(value.replace(/^\w+ +(?=\S+$)/, ''), 'secret', 'rule');
    if (/^cookie$/i.test(name)) for (const pair of value.split(';')) findCookie(pair, findings);
    else if (/^set-cookie$/i.test(name)) findCookie(value.split(';', 1)[0] as string, findings);
    else if (isSecretHeader(name)) findCredentials(value, findings);
  }
}

/** What proves a request to be whose it says: the value of `Authorization`, wherever it stands. */
export function findCredentials(value: string, findings: Findings): void {
  const [, scheme = '', rest = value] = /^([A-Za-z][\w-]*)\s+(.+)$/s.exec(value.trim()) ?? [];
  switch (scheme.toLowerCase()) {
    case '':
      findings.add(rest, 'token', 'named');
      return;
    case 'basic':
      findBasic(rest, findings);
      return;
    case 'digest':
    case 'hawk':
    case 'oauth':
    case 'aws4-hmac-sha256':
      for (const [, name = '', quoted, bare] of rest.matchAll(/([\w-]+)\s*=\s*(?:"([^"]*)"|([^,\s]+))/g)) findPart(name, quoted ?? bare ?? '', findings);
      return;
    default:
      if (!findMembers(rest, findings)) findings.add(rest, 'token', 'named');
  }
}

/** `Token token="…"`, `SharedAccessSignature sr=…&sig=…`: programs have the value, and make the rest. @returns whether there is one */
function findMembers(text: string, findings: Findings): boolean {
  let isThere = false;
  for (const [, name = '', quoted, bare] of text.matchAll(/([\w-]+)\s*=\s*(?:"([^"]*)"|([^&,;\s"]+))/g)) {
    const kind = isSignatureField(name) ? 'signature' : kindOfName(name);
    if (!kind) continue;
    findings.add(decoded(quoted ?? bare ?? ''), kind, 'named');
    isThere = true;
  }
  return isThere;
}

function findPart(name: string, value: string, findings: Findings): void {
  if (/^(?:response|cnonce|signature|mac|oauth_signature|oauth_token)$/i.test(name)) findings.add(value, 'signature', 'named');
  if (/^credential$/i.test(name)) findings.add(value.split('/', 1)[0] as string, 'api key', 'named');
}

/** `user:password` in base64; of some services the user is the key. */
function findBasic(encoded: string, findings: Findings): void {
  const text = Buffer.from(encoded, 'base64').toString();
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded) || !/^[^\0-\x1f\ufffd]*:[^\0-\x1f\ufffd]*$/.test(text)) return;
  const [user = '', ...rest] = text.split(':');
  const password = rest.join(':');
  if (password === '' || /^(?:x|x-oauth-basic|api_token)$/.test(password)) findings.add(user, 'api key', 'named');
  else findings.add(password, 'password', 'named');
}

function findCookie(pair: string, findings: Findings): void {
  const at = pair.indexOf('=');
  if (at < 0) return;
  const value = pair.slice(at + 1).trim();
  findings.add(value, 'cookie', 'named');
  const plain = decoded(value);
  if (plain !== value) findings.add(plain, 'cookie', 'named');
}

/** Percent-encoded, if it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
