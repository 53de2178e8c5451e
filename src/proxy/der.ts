/** As much of DER (X.690) as a certificate takes. */
const CONSTRUCTED = 0x20;
const CONTEXT = 0x80;

export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

export const sequence = (...contents: readonly Uint8Array[]): Buffer => der(0x30, ...contents);
export const set = (...contents: readonly Uint8Array[]): Buffer => der(0x31, ...contents);
export const octets = (content: Uint8Array): Buffer => der(0x04, content);
export const bits = (content: Uint8Array, unused = 0): Buffer => der(0x03, Buffer.from([unused]), content);
export const text = (content: string): Buffer => der(0x0c, Buffer.from(content));
export const yes: Buffer = der(0x01, Buffer.from([0xff]));

/** Of a positive number, big-endian. */
export function integer(bytes: Uint8Array): Buffer {
  return der(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

/** `1.2.840.…` */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const group = [arc % 128];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) group.unshift((left % 128) | 0x80);
    bytes.push(...group);
  }
  return der(0x06, Buffer.from(bytes));
}

/** A member that the structure around it tells apart by a number. */
export function tagged(number: number, content: Uint8Array, constructed: boolean): Buffer {
  return der(CONTEXT | (constructed ? CONSTRUCTED : 0) | number, content);
}

/** GeneralizedTime from 2050 on, as RFC 5280 has it. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]|\..*/g, '');
  return date.getUTCFullYear() < 2050 ? der(0x17, Buffer.from(`${digits.slice(2)}Z`)) : der(0x18, Buffer.from(`${digits}Z`));
}
