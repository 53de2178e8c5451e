import http from 'node:http';
import https from 'node:https';
import net from 'node:net';

/** @param address `127.0.0.1:80`, `[::1]:80` or the path of a Unix socket */
export function parseAddress(address) {
  if (address.startsWith('/')) return { path: address };
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon).replace(/[[\]]/g, ''), port: Number(address.slice(colon + 1)) };
}

export const pause = (most = 12) => new Promise((resolve) => setTimeout(resolve, Math.random() * most));

/** @returns one line: status, headers save the date, body */
export async function ask(place, path, { method = 'GET', body, headers = {}, agent = false, secure = false, ...options } = {}) {
  const where = place.path ? { socketPath: place.path } : place;
  const request = (secure ? https : http).request({ ...where, path, method, headers, agent, ...options });
  const answer = new Promise((resolve) => {
    request.on('error', (error) => resolve(`${path}: ${error.code ?? error.message}`)).on('response', (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk)).on('error', ({ code }) => resolve(`${path}: ${response.statusCode} then ${code}`)).on('end', () => {
        const { date, ...shown } = response.headers;
        const text = Buffer.concat(chunks).toString();
        resolve(`${path}: ${response.statusCode} ${response.statusMessage} ${date === undefined ? 'undated' : 'dated'} ${JSON.stringify(shown)} ${JSON.stringify(response.trailers)} ${text.length > 2000 ? `${text.length} characters` : text}`);
      });
    });
  });
  if (typeof body === 'function') await body(request);
  request.end(typeof body === 'function' ? undefined : body);
  return answer;
}

/** Writes pieces into a socket, a pause between two. @returns all that came back, as one line, and how it ended */
export function talk(place, pieces, { between = 3, end = false, until, destroyAfter } = {}) {
  return new Promise((resolve) => {
    const socket = net.connect({ ...place, allowHalfOpen: true });
    let text = '';
    let failure = '';
    socket.on('data', (chunk) => {
      text += chunk.latin1Slice();
      if (until && text.includes(until)) socket.end();
    });
    socket.on('error', ({ code }) => (failure = ` ${code}`)).on('end', () => socket.end());
    socket.on('close', () => resolve(JSON.stringify(text.replace(/Date: [^\r]+/g, 'Date: then')) + failure));
    socket.on('connect', async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        socket.write(piece);
        await pause(between);
      }
      if (end) socket.end();
      if (destroyAfter !== undefined) setTimeout(() => socket.destroy(), destroyAfter);
    });
  });
}

/** Runs all at once. @returns their lines in the order of the list */
export const together = (...visits) => Promise.all(visits.map(async (visit) => {
  await pause();
  return visit();
}));
