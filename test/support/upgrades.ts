/** What a client may turn an HTTP connection into: a proxy's tunnel, or a WebSocket that sends back what it gets. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';

export function tunnel(request: IncomingMessage, client: Socket): void {
  const [host, port] = (request.url ?? '').split(':');
  const target = connect(Number(port), host, () => client.write('HTTP/1.1 200 Connection established\r\n\r\n'));
  for (const [from, to] of [[client, target], [target, client]] as const) from.on('error', () => to.destroy()).pipe(to);
}

export function echoWebSocket(request: IncomingMessage, client: Socket): void {
  const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  client.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  let pending: Buffer = Buffer.alloc(0);
  client.on('error', () => {}).on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (let frame = readFrame(pending); frame; frame = readFrame(pending)) {
      pending = pending.subarray(frame.bytes);
      client.write(writeFrame(frame.opcode, frame.payload));
      if (frame.opcode === 8) client.end();
    }
  });
}

function readFrame(bytes: Buffer): { opcode: number; payload: Buffer; bytes: number } | undefined {
  if (bytes.length < 6) return undefined;
  const short = (bytes[1] as number) & 0x7f;
  const extended = short === 126 ? 2 : short === 127 ? 8 : 0;
  if (bytes.length < 6 + extended) return undefined;
  const length = extended === 2 ? bytes.readUInt16BE(2) : extended === 8 ? Number(bytes.readBigUInt64BE(2)) : short;
  const start = 6 + extended;
  if (bytes.length < start + length) return undefined;
  const mask = bytes.subarray(start - 4, start);
  return { opcode: (bytes[0] as number) & 0x0f, payload: Buffer.from(bytes.subarray(start, start + length).map((byte, i) => byte ^ (mask[i % 4] as number))), bytes: start + length };
}

function writeFrame(opcode: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = head.length === 2 ? payload.length : head.length === 4 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(payload.length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}
