/** Answers `/N` with N bytes of nothing, as fast as they are taken. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { onTestFinished } from 'vitest';

const BLOCK = Buffer.alloc(64 * 1024, 'nothing ');

/** @returns its address; closed when the test is over */
export async function bodyServer(): Promise<string> {
  const server = createServer((request, response) => pipeline(blocks(Number(request.url?.slice(1))), response, () => {}));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function blocks(bytes: number): Readable {
  let left = bytes;
  return new Readable({
    read() {
      const block = BLOCK.subarray(0, Math.min(left, BLOCK.length));
      left -= block.length;
      this.push(block.length > 0 ? block : null);
    },
  });
}
