// Errors thrown in callbacks of every kind: the handler sees the context of the callback.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
const storage = new AsyncLocalStorage();
process.on('uncaughtException', ({ message }) => console.log('uncaught', message, storage.getStore()));
process.on('unhandledRejection', ({ message }) => console.log('unhandled', message, storage.getStore()));
const server = process.env.SERVER_URL;
const fail = (where) => () => { throw new Error(where); };
storage.run('timer', () => setTimeout(fail('timer'), 1));
storage.run('immediate', () => setImmediate(fail('immediate')));
storage.run('fetch', () => fetch(`${server}/json`).then((response) => response.text()).then(fail('fetch')));
storage.run('readFile', () => fs.readFile('/etc/hostname', fail('readFile')));
storage.run('random', () => randomBytes(4, fail('random')));
storage.run('interval', () => { const timer = setInterval(() => { clearInterval(timer); fail('interval')(); }, 3); });
