/** Replies and arguments of Redis, for people. */
import { showBytes } from '../body.ts';
import type { Reply } from './resp.ts';

/** @returns a JSON value; of a long list the beginning, with how many more there are */
export function showReply(reply: Reply): unknown {
  switch (reply.type) {
    case 'text':
      return reply.text;
    case 'error':
      return { error: reply.text };
    case 'number':
    case 'double': {
      const value = Number(reply.text);
      return Number.isSafeInteger(value) || (reply.type === 'double' && Number.isFinite(value)) ? value : reply.text;
    }
    case 'boolean':
      return reply.text === 't';
    case 'null':
      return null;
    case 'bulk':
      return reply.bytes ? showBytes(reply.bytes) : { bytes: reply.length };
    case 'map':
      return showMap(reply.items, reply.count);
    default: {
      const items = reply.items.map(showReply);
      return items.length < reply.count ? [...items, `… ${reply.count - items.length} more`] : items;
    }
  }
}

function showMap(items: readonly Reply[], count: number): unknown {
  const entries = Array.from({ length: items.length >> 1 }, (_, index) => [showReply(items[index * 2] as Reply), showReply(items[index * 2 + 1] as Reply)] as const);
  const more = count - entries.length;
  if (entries.some(([key]) => typeof key !== 'string')) return [...entries, ...(more > 0 ? [`… ${more} more`] : [])];
  return Object.fromEntries([...entries, ...(more > 0 ? [['…', `${more} more`] as const] : [])] as [string, unknown][]);
}

/** @returns the text of a bulk string or a line; undefined for anything else */
export function textOf(reply: Reply | undefined): string | undefined {
  if (reply?.type === 'bulk') return reply.bytes?.utf8Slice();
  return reply && 'text' in reply ? reply.text : undefined;
}
