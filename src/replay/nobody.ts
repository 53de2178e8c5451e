/**
 * Addresses of names that have none in a recording: a program that connects gets one, and a peer of ours is what it finds
 * there. Reserved (RFC 1112, class E), so that no recorded one is taken for it.
 */

/** @param number of the name, from 1 */
export function addressOfNobody(number: number): string {
  return `240.0.${number >> 8}.${number & 255}`;
}

export function isNobody(address: unknown): boolean {
  return typeof address === 'string' && address.startsWith('240.0.');
}
