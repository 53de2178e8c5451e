import { ask, talk, together } from './client.mjs';

export async function visit(place, pid) {
  await together(...[1, 2, 3].map((number) => () => ask(place, `/${number}`)));
  const open = talk(place, ['POST /cut HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n12']);
  await ask(place, '/last');
  process.kill(pid, 'SIGTERM');
  await open;
  return ['killed'];
}
