/** A message between threads, for people. */
import { decodeMessage } from '../model/message.ts';
import { preview } from './json.ts';
import { firstJsonDifference, type Difference } from './json-diff.ts';
import { showValue } from './lane/show-value.ts';

/** @returns a JSON value that shows it; its size where it cannot be read */
export function shownMessage(data: Buffer): unknown {
  try {
    return showValue(decodeMessage(data, () => ({ port: true })).value);
  } catch {
    return { bytes: data.length };
  }
}

export function describeMessage(data: Buffer): string {
  return `a message to a thread: ${preview(shownMessage(data), 160)}`;
}

/** Two messages that differ may look alike: then their sizes tell them apart, or nothing does. */
export function messageDifference(expected: Buffer, actual: Buffer): Difference {
  return firstJsonDifference('message', shownMessage(expected), shownMessage(actual)) ?? { field: 'message', expected: `${expected.length} bytes`, actual: `${actual.length} bytes` };
}
