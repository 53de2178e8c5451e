/** How long recordings are kept, and how much room they may take: the configuration's `retention` and `limits`. */

/** `12h`, `30d`, `8w`, `2y`, or `forever`. */
export type Age = string;

export interface Policy {
  /** How long the whole payload lies in the store. */
  readonly payload?: Age;
  /** How long it lies in the archive, from the same beginning. Without an archive nothing lies there. */
  readonly archive?: Age;
}

export interface Retention extends Policy {
  /** The archive: a folder, or `s3://bucket/prefix`. */
  readonly to?: string;
  /** Of a bucket that is not Amazon's, or not where the environment says. */
  readonly s3?: { readonly endpoint?: string; readonly region?: string };
  /** Of runs that did not end well, or carry the tag `incident`. */
  readonly incidents?: Policy;
  /** By tag, `name` or `name=value`. Of several the one that keeps longest counts. */
  readonly tags?: Readonly<Record<string, Policy>>;
}

export interface Limits {
  /** Bytes, a text such as `2GiB`, or `none`. */
  readonly disk?: number | string;
}

export const DEFAULT_POLICY: Required<Policy> = { payload: '30d', archive: '365d' };
export const DEFAULT_INCIDENTS: Required<Policy> = { payload: '90d', archive: '1095d' };

const AGE = /^([1-9]\d*)([hdwy])$/;
const HOUR_MS = 3_600_000;
const UNIT_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 168 * HOUR_MS, y: 8760 * HOUR_MS };
const SIZE = /^(\d+(?:\.\d+)?) ?([KMGT]i?)?B$/;
const UNIT_BYTES: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, G: 1e9, T: 1e12, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };
const DEFAULT_DISK = 2 * 2 ** 30;

/** @returns milliseconds; Infinity: for ever */
export function ageOf(age: Age): number {
  const [, count = '', unit = ''] = AGE.exec(age) ?? [];
  return age === 'forever' ? Infinity : Number(count) * (UNIT_MS[unit] as number);
}

/** @returns bytes that the embedded store may take; Infinity: any */
export function diskCap({ disk = DEFAULT_DISK }: Limits = {}): number {
  if (typeof disk === 'number') return disk;
  const [, count = '', unit = ''] = SIZE.exec(disk) ?? [];
  return disk === 'none' ? Infinity : Math.floor(Number(count) * (UNIT_BYTES[unit] ?? 1));
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const isAge = (value: unknown): boolean => typeof value === 'string' && (value === 'forever' || AGE.test(value));
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function hasOnly(value: unknown, keys: Readonly<Record<string, (value: unknown) => boolean>>): boolean {
  return isObject(value) && Object.entries(value).every(([key, member]) => Object.hasOwn(keys, key) && keys[key]?.(member));
}

const POLICY = { payload: isAge, archive: isAge };
const isPolicy = (value: unknown): boolean => hasOnly(value, POLICY);

export function isRetention(value: unknown): boolean {
  return hasOnly(value, {
    ...POLICY,
    to: isText,
    s3: (member) => hasOnly(member, { endpoint: isText, region: isText }),
    incidents: isPolicy,
    tags: (member) => isObject(member) && Object.values(member).every(isPolicy),
  });
}

export function isLimits(value: unknown): boolean {
  return hasOnly(value, { disk: (member) => (typeof member === 'number' ? Number.isSafeInteger(member) && member >= 0 : member === 'none' || (typeof member === 'string' && SIZE.test(member))) });
}
