// Load on a service of this machine, from another process: so many requests a second, of which no more than LIMIT are open.
import http from 'node:http';

const LIMIT = 64;

/** @returns how many were answered well, answers per second, and percentiles of the time that an answer took (milliseconds) */
export async function load({ port, rate, seconds }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: LIMIT });
  const took = [];
  let [sent, open, failed] = [0, 0, 0];
  const total = rate * seconds;
  const one = (number) => new Promise((resolve) => {
    const began = performance.now();
    http.get({ host: '127.0.0.1', port, path: `/ask/${number}`, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk)).on('end', () => {
        if (response.statusCode === 200 && text.startsWith(`${number} `)) took.push(performance.now() - began);
        else failed++;
        resolve();
      });
    }).on('error', () => resolve(failed++));
  });
  const began = performance.now();
  await new Promise((resolve) => {
    const tick = () => {
      const due = Math.min(total, Math.ceil(((performance.now() - began) / 1000) * rate));
      while (sent < due && open < LIMIT) {
        open++;
        void one(sent++).then(() => {
          open--;
          if (sent === total && open === 0) resolve();
        });
      }
      if (sent < total) setTimeout(tick, 2);
    };
    tick();
  });
  agent.destroy();
  took.sort((a, b) => a - b);
  const at = (share) => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? null;
  return { of: total, ok: took.length, failed, perSecond: (took.length / (performance.now() - began)) * 1000, p50Ms: at(0.5), p99Ms: at(0.99) };
}
