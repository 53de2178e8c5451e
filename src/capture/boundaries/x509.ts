/** Certificates as native objects: kept as the bytes of their chain, and made again from those. */
import { apply, bufferFrom, defineProperty } from '../../runtime/natives.ts';
import type { AnyFunction } from '../../runtime/patches.ts';
import { readValue } from '../read-value.ts';
import type { Session } from '../session.ts';

interface NativeCertificate {
  raw(): Uint8Array;
  getIssuerCert(): NativeCertificate | undefined;
}

/** Longer chains than this are none. */
const CHAIN_LIMIT = 16;

/** @param live answers nothing where there is no certificate */
export function readCertificate(session: Session, key: string, below: AnyFunction, live: () => unknown): unknown {
  let native: NativeCertificate | undefined;
  const chain = readValue(session, 'handle-value', key, below, () => {
    native = live() as NativeCertificate | undefined;
    return chainOf(native);
  });
  const [leaf, ...issuers] = chain.map(parsed);
  // From Node 24 on only a connection can tell a certificate who stands behind it.
  if (leaf && issuers.length > 0 && !leaf.handle) session.uncaptured('the issuers of a certificate (tls.getPeerX509Certificate)', () => {});
  return native ?? (leaf && linked(leaf, issuers));
}

function chainOf(leaf: NativeCertificate | undefined): Uint8Array[] {
  const chain: Uint8Array[] = [];
  for (let at = leaf; at && chain.length < CHAIN_LIMIT; at = at.getIssuerCert()) chain.push(bufferFrom(at.raw()));
  return chain;
}

interface Parsed {
  readonly certificate: object;
  /** The native object in it, where it is one and not itself native. */
  readonly handle: NativeCertificate | undefined;
}

function parsed(bytes: Uint8Array): Parsed {
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  const certificate = new X509Certificate(bytes);
  const key = Object.getOwnPropertySymbols(certificate).find((symbol) => symbol.description === 'kHandle');
  return { certificate, handle: key && (certificate as unknown as Record<symbol, NativeCertificate>)[key] };
}

function linked({ certificate, handle }: Parsed, [next, ...rest]: readonly Parsed[]): object {
  if (!handle) return certificate;
  const { getIssuerCert } = handle;
  defineProperty(handle, 'getIssuerCert', { configurable: true, value: () => (next ? linked(next, rest) : apply(getIssuerCert, handle, [])) });
  return handle;
}
