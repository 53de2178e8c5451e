/** Messages of a WebSocket as steps of their own. */
import type { LaneEvent } from '../../model/event.ts';
import { bufferConcat, bufferFrom } from '../../runtime/natives.ts';
import { showBytes } from '../body.ts';
import type { HttpExchange } from '../http1.ts';
import { parseShallowJson, preview } from '../json.ts';
import type { WebSocketMessage } from '../websocket.ts';
import type { Draft } from './draft.ts';

export function messageDrafts({ request, messages }: HttpExchange, bySeq: ReadonlyMap<number, LaneEvent>): Draft[] {
  return (messages ?? []).map((message) => messageDraft(message, request.url.replace(/^http/, 'ws'), bySeq.get(message.seq)));
}

function messageDraft(message: WebSocketMessage, url: string, event: LaneEvent | undefined): Draft {
  const { seq, at, sent, type, data, note } = message;
  const content = contentOf(message);
  const said = { type, ...content, ...(note === null ? {} : { note }) };
  return {
    seq,
    events: event ? [event] : [],
    kind: 'message',
    boundary: 'websocket',
    name: `${sent ? 'sent' : 'received'} ${type}`,
    summary: `${sent ? '→' : '←'} ${type} ${shortly(content)}`.trimEnd(),
    input: sent ? { url, ...said } : { url },
    output: sent ? null : said,
    error: null,
    asked: bufferConcat([bufferFrom(`${sent ? 'sent' : 'received'} ${type} ${url}\n`), sent ? data : bufferConcat([])]),
    startedAt: at,
    endedAt: at,
  };
}

type Content = { readonly data: unknown } | { readonly code: number | null; readonly reason: string };

function contentOf({ type, data }: WebSocketMessage): Content {
  if (type === 'close') return { code: data.length >= 2 ? data.readUInt16BE(0) : null, reason: data.subarray(2).utf8Slice() };
  if (type !== 'text') return { data: data.length === 0 ? null : { base64: data.toString('base64'), bytes: data.length } };
  const text = data.utf8Slice();
  return { data: /^\s*[[{]/.test(text) ? (parseShallowJson(text) ?? text) : showBytes(data) };
}

function shortly(content: Content): string {
  if ('code' in content) return `${content.code ?? ''} ${content.reason}`.trim();
  const { data } = content;
  const bytes = (data as { bytes?: unknown } | null)?.bytes;
  if (data === null) return '';
  return typeof bytes === 'number' ? `${bytes} bytes` : preview(data, 100);
}
