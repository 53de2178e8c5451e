// S19: pino's transport in a thread that writes to a file; two threads that fetch, one of them with nothing inherited.
import { Worker } from 'node:worker_threads';
import pino from 'pino';

const transport = pino.transport({ target: 'pino/file', options: { destination: process.env.LOG_FILE ?? './s19.log' } });
const log = pino({ base: null, timestamp: false }, transport);
await new Promise((resolve) => transport.on('ready', resolve));
log.info({ who: 'main' }, 'starting');

const thread = new URL('./s19-thread.mjs', import.meta.url);
const start = (name, options) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(thread, { workerData: { name, url: process.env.SERVER_URL }, ...options });
    worker.on('message', (message) => {
      console.log(name, message);
      log.info(message, 'message');
    });
    worker.on('error', reject);
    worker.on('exit', (code) => resolve(`${name} exit ${code}`));
  });
for (const line of await Promise.all([start('inherits', {}), start('inherits nothing', { execArgv: [], env: {} })])) console.log(line);
log.info('done');
await new Promise((resolve) => {
  transport.ref();
  transport.on('close', resolve);
  transport.end();
});
console.log('logged');
