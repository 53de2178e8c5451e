import { createRequire } from 'node:module';
import { ask, pause, talk, together } from './client.mjs';

const { WebSocket } = createRequire(new URL('../../cases/packages/package.json', import.meta.url))('ws');

export async function visit({ host, port }) {
  const url = `ws://${host}:${port}`;
  const chat = (name, sent, expected) => new Promise((resolve) => {
    const heard = [];
    const socket = new WebSocket(`${url}/${name}`);
    socket.on('open', async () => {
      for (const message of sent) {
        await pause(4);
        socket.send(message);
      }
    });
    socket.on('message', (data, isBinary) => {
      heard.push(isBinary ? `binary ${data.length} ${data[0]}` : String(data).slice(0, 30));
      if (heard.length === expected) socket.close(4000, 'enough');
    });
    socket.on('ping', (data) => heard.includes(String(data))).on('error', ({ message }) => heard.push(message)).on('close', (code, reason) => resolve(`${name}: ${heard.join(', ')} ${code} ${reason}`));
  });
  const lines = await together(
    ...[1, 2, 3].map((number) => () => chat(`text-${number}`, [`a text of ${number}`, 'and another '.repeat(50)], 3)),
    () => chat('binary', [Buffer.from([1, 2, 3]), Buffer.alloc(30_000, 7)], 3),
    () => chat('too-much', [Buffer.alloc(60_000, 7)], 5),
    () => chat('refused', [], 1),
    () => ask({ host, port }, '/plain'),
    () => talk({ host, port }, ['GET /raw HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n']),
  );
  lines.push(await chat('all', ['all'], 2));
  lines.push(await chat('last', ['quit'], 99));
  return lines;
}
