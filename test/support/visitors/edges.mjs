import { ask, pause, talk, together } from './client.mjs';

const get = (path, extra = '') => `GET ${path} HTTP/1.1\r\nHost: host\r\n${extra}\r\n`;
const left = () => 'left';
/** Whoever still sends when the other has closed may be told so. */
const quietly = (line) => line.replace(/ E\w+$/, '');
const bye = 'Connection: close\r\n';

export async function visit(place) {
  const lines = await together(
    () => talk(place, [get('/pipelined/1') + get('/pipelined/2') + get('/pipelined/3', bye)]),
    () => talk(place, [get('/pipelined/1'), get('/pipelined/2'), get('/split').slice(0, 9), get('/split').slice(9), get('/last', bye)]),
    () => talk(place, ['POST /upload HTTP/1.1\r\nHost: host\r\nContent-Length: 10\r\n\r\n01234', '56789' + get('/after', bye)]),
    () => talk(place, ['POST /upload HTTP/1.1\r\nHost: host\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n', '5\r\n56789\r\n0\r\n\r\n' + get('/after', bye)]),
    () => talk(place, ['what is this\r\n\r\n']),
    () => talk(place, ['POST /upload HTTP/1.1\r\nHost: host\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n']),
    () => talk(place, [get('/big', `X-Big: ${'b'.repeat(6000)}\r\n`)]).then(quietly),
    () => talk(place, ['GET /nohost HTTP/1.1\r\n\r\n']),
    () => talk(place, ['GET /old HTTP/1.0\r\n\r\n']),
    () => talk(place, ['GET /old HTTP/1.0\r\nConnection: keep-alive\r\nHost: old\r\n\r\n', 'GET /old HTTP/1.0\r\n\r\n']),
    () => talk(place, ['POST /upload HTTP/1.1\r\nHost: host\r\nContent-Length: 4\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n', 'body']),
    () => talk(place, ['POST /refused HTTP/1.1\r\nHost: host\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n']),
    () => talk(place, ['POST /x HTTP/1.1\r\nHost: host\r\nExpect: something\r\n\r\n']),
    () => talk(place, [`POST /too-large HTTP/1.1\r\nHost: host\r\nContent-Length: 400000\r\n\r\n${'x'.repeat(1000)}`, 'y'.repeat(1000)]).then(quietly),
    () => talk(place, [get('/up', 'Connection: upgrade\r\nUpgrade: shout\r\n') + 'head', 'and more'], { until: 'MORE' }),
    () => talk(place, ['CONNECT elsewhere:80 HTTP/1.1\r\nHost: elsewhere\r\n\r\nfirst bytes']),
    () => talk(place, [get('/half')], { end: true }),
    () => talk(place, [get('/kept')]),
    () => talk(place, ['GET /half-a-request HTTP/1.1\r\n'], { end: true }),
    () => talk(place, ['POST /upload HTTP/1.1\r\nHost: host\r\nContent-Length: 40\r\n\r\nnever more'], { end: true }),
    () => talk(place, [get('/count', bye)]),
    () => talk(place, [get('/destroy')]),
    () => talk(place, [get('/throw')], { destroyAfter: 30 }).then(left),
    () => talk(place, ['POST /upload HTTP/1.1\r\nHost: host\r\nContent-Length: 4000\r\n\r\ncut'], { destroyAfter: 2 }).then(left),
    () => talk(place, [get('/flood')], { destroyAfter: 4 }).then(left),
    () => ask(place, '/flood').then((line) => line.slice(0, 40)),
    () => talk(place, [], { end: true }),
    () => talk(place, [get('/1'), get('/2'), get('/3'), get('/4')]),
  );
  await pause();
  lines.push(await talk(place, [get('/idle', bye)]));
  lines.push(await ask(place, '/quit'));
  return lines;
}
