import { pause, talk, together } from './client.mjs';

export async function visit(place) {
  const visits = together(
    () => talk(place, ['GET /slow-headers HTTP/1.1\r\n']),
    () => talk(place, ['POST /slow-body HTTP/1.1\r\nHost: host\r\nContent-Length: 40\r\n\r\nnever more']),
    () => talk(place, ['GET /kept HTTP/1.1\r\nHost: host\r\n\r\n']),
    () => talk(place, []),
    ...Array.from({ length: 6 }, (_, i) => () => talk(place, [`GET /${i} HTTP/1.1\r\n`, 'Host: host\r\n', 'X: y\r\n\r\n'], { between: 50 })),
  );
  await pause();
  const last = talk(place, ['GET /quit HTTP/1.1\r\nHost: host\r\n\r\n']);
  return [...(await visits), await last];
}
