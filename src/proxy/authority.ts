/**
 * The certificate authority of this user: a program that goes through the proxy is told to trust it, and nobody else is. Made
 * on first use; its key is readable by the user alone.
 */
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { ConfigError, StoreUnavailableError } from '../model/error.ts';
import { authorityCertificate, createKeys, type KeyPair, serverCertificate } from './certificate.ts';

const NAME = 'replay-harness proxy authority';
const AUTHORITY_DAYS = 3650;
/** Servers' certificates are made anew by each process. */
const SERVER_DAYS = 30;
/** What a machine trusts besides what Node brings: the first that is there. */
const SYSTEM_BUNDLES = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/cert.pem'];
/** By which variables programs are told what to trust. */
export const BUNDLE_VARIABLES = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS', 'GIT_SSL_CAINFO', 'AWS_CA_BUNDLE', 'HTTPLIB2_CA_CERTS', 'DENO_CERT', 'PIP_CERT', 'GRPC_DEFAULT_SSL_ROOTS_FILE_PATH'] as const;

export class Authority {
  /** PEM. */
  readonly certificate: string;
  readonly #keys: KeyPair;
  readonly #serverKeys: KeyPair = createKeys();
  readonly #contexts: Map<string, SecureContext> = new Map();

  constructor(certificate: string, key: string) {
    this.certificate = certificate;
    const privateKey = createPrivateKey(key);
    this.#keys = { privateKey, publicKey: createPublicKey(privateKey) };
  }

  /** To be a server by that name. */
  contextFor(host: string): SecureContext {
    let context = this.#contexts.get(host);
    if (!context) {
      const { privateKey } = this.#serverKeys;
      context = createSecureContext({ cert: serverCertificate(host, this.#serverKeys, { issuer: NAME, authority: this.#keys, days: SERVER_DAYS }), key: privateKey.export({ type: 'pkcs8', format: 'pem' }) });
      this.#contexts.set(host, context);
    }
    return context;
  }
}

/** @param folder of the user's keys @throws StoreUnavailableError, ConfigError */
export function openAuthority(folder: string): Authority {
  const file = `${folder}/proxy-authority.pem`;
  let pem = existsSync(file) ? read(file) : '';
  if (pem === '' || isOver(pem, file)) {
    make(folder, file, pem !== '');
    pem = read(file);
  }
  const [certificate = ''] = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----\n/.exec(pem) ?? [];
  const [key = ''] = /-----BEGIN PRIVATE KEY-----[\s\S]*?-----END PRIVATE KEY-----\n/.exec(pem) ?? [];
  try {
    if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) throw new Error('its key belongs to another certificate');
    return new Authority(certificate, key);
  } catch (error) {
    throw damaged(file, error);
  }
}

function isOver(pem: string, file: string): boolean {
  try {
    return Date.parse(new X509Certificate(pem).validTo) < Date.now() + SERVER_DAYS * 86_400_000;
  } catch (error) {
    throw damaged(file, error);
  }
}

function damaged(file: string, error: unknown): ConfigError {
  return new ConfigError(`${file}, the certificate authority of the proxy, is damaged: ${(error as Error).message}. Remove it: a new one is made.`);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StoreUnavailableError(`${file}, the certificate authority of the proxy, cannot be read: ${(error as Error).message}.`);
  }
}

/** Two first uses at once agree on one. */
function make(folder: string, file: string, replace: boolean): void {
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const keys = createKeys();
    writeFileSync(draft, `${authorityCertificate(NAME, keys, AUTHORITY_DAYS)}${keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()}`, { mode: 0o600 });
    if (replace) rmSync(file, { force: true });
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw new StoreUnavailableError(`No certificate authority could be made in ${folder}: ${(error as Error).message}. Give a writable XDG_CONFIG_HOME.`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** What a program trusted before it was sent through the proxy: of this machine, and by its own variables. PEM. */
export function trustedBefore(env: Readonly<Record<string, string | undefined>>): string[] {
  const files = [...new Set([...BUNDLE_VARIABLES.map((name) => env[name]), SYSTEM_BUNDLES.find((file) => existsSync(file))])];
  const system = files.flatMap((file) => {
    try {
      return file ? (readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []) : [];
    } catch {
      return [];
    }
  });
  return [...new Set([...rootCertificates, ...system])];
}
