import { ownKeys } from './natives.ts';

/** @returns the object of JavaScript whose handle this is: a socket; undefined where there is none any more */
export function ownerOf<T extends object>(handle: object): T | undefined {
  const key = ownKeys(handle).find((candidate) => typeof candidate === 'symbol' && candidate.description === 'owner_symbol');
  return key === undefined ? undefined : (handle as Record<PropertyKey, T | undefined>)[key];
}
