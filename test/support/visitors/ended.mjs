import { ask, talk, together } from './client.mjs';

/** Ends a service that is in the middle of a request. */
export async function end(place, pid, signal) {
  await together(...[1, 2, 3].map((number) => () => ask(place, `/${number}`)));
  const open = talk(place, ['POST /cut HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n12']);
  await ask(place, '/last');
  process.kill(pid, signal);
  await open;
  return ['gone'];
}
