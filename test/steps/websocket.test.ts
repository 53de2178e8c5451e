/** WebSocket messages as steps read them: what clients and servers may send, cut anywhere. */
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { WebSocketConversation } from '../../src/steps/websocket.ts';

const MASK = Buffer.from([0x12, 0x34, 0x56, 0x78]);

function frame(opcode: number, payload: Buffer, { final = true, compressed = false, masked = false } = {}): Buffer {
  const length = payload.length < 126 ? Buffer.alloc(0) : payload.length < 65_536 ? Buffer.alloc(2) : Buffer.alloc(8);
  if (length.length === 2) length.writeUInt16BE(payload.length, 0);
  if (length.length === 8) length.writeBigUInt64BE(BigInt(payload.length), 0);
  const short = length.length === 0 ? payload.length : length.length === 2 ? 126 : 127;
  const body = masked ? Buffer.concat([MASK, payload.map((byte, i) => byte ^ (MASK[i % 4] as number))]) : payload;
  return Buffer.concat([Buffer.from([(final ? 0x80 : 0) | (compressed ? 0x40 : 0) | opcode, (masked ? 0x80 : 0) | short]), length, body]);
}

describe('WebSocket messages', () => {
  const large = Buffer.alloc(70_000, 3);
  const received = Buffer.concat([frame(1, Buffer.from('text é')), frame(2, large), frame(1, Buffer.from('in '), { final: false }), frame(9, Buffer.from('?')), frame(0, Buffer.from('two')), frame(8, Buffer.from([0x0f, 0xa1, 0x68, 0x69]))]);

  it.each([1, 3, 1000, 100_000])('text, binary, pieces, control frames in between: %i bytes at a time', (size) => {
    const conversation = new WebSocketConversation('');
    for (let at = 0; at < received.length; at += size) conversation.read(at, at, received.subarray(at, at + size));
    expect(conversation.messages.map(({ type, sent, data }) => [type, sent, data.length > 100 ? data.length : data.toString()])).toEqual([
      ['text', false, 'text é'], ['binary', false, 70_000], ['ping', false, '?'], ['text', false, 'in two'], ['close', false, '\x0f\ufffdhi'],
    ]);
  });

  it('what a client sends is masked', () => {
    const conversation = new WebSocketConversation('');
    conversation.write(1, 1, frame(1, Buffer.from('secret'), { masked: true }));
    expect(conversation.messages).toMatchObject([{ seq: 1, sent: true, type: 'text', data: Buffer.from('secret'), note: null }]);
  });

  it('compressed messages refer back to those before them, unless agreed otherwise', () => {
    const texts = ['the same words again and again', 'the same words again and again', 'something else'];
    const deflated = (options: zlib.ZlibOptions): Buffer => zlib.deflateRawSync(Buffer.from(texts[0] as string), { ...options, finishFlush: zlib.constants.Z_SYNC_FLUSH }).subarray(0, -4);
    const alone = new WebSocketConversation('permessage-deflate; server_no_context_takeover');
    for (const [seq] of texts.entries()) alone.read(seq, seq, frame(1, deflated({}), { compressed: true }));
    expect(alone.messages.map(({ data }) => data.toString())).toEqual([texts[0], texts[0], texts[0]]);

    const together = new WebSocketConversation('permessage-deflate');
    together.read(0, 0, frame(1, deflated({}), { compressed: true }));
    together.read(1, 1, frame(1, deflated({ dictionary: Buffer.from(texts[0] as string) }), { compressed: true }));
    expect(together.messages.map(({ data }) => data.toString())).toEqual([texts[0], texts[0]]);
  });

  it('a damaged one is said to be', () => {
    const conversation = new WebSocketConversation('permessage-deflate');
    conversation.read(0, 0, frame(1, Buffer.from([0xff, 0xff, 0xff]), { compressed: true }));
    expect(conversation.messages).toMatchObject([{ type: 'text', note: 'the compressed message cannot be read' }]);
  });
});
