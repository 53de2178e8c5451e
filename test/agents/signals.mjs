// Signals to itself: handlers that stay, go, come once and throw; the pattern of clean-up libraries, which send the signal again.
import { AsyncLocalStorage } from 'node:async_hooks';
import { constants } from 'node:os';
// A handler does not keep the loop alive.
setInterval(() => {}, 60_000);
const context = new AsyncLocalStorage();
const told = (name) => new Promise((resolve) => process.once(name, (...args) => resolve(args.join(' '))));
const send = (signal) => console.log(process.kill(process.pid, signal));

context.run('handler', () => process.on('SIGUSR2', (name, number) => console.log(name, number, number === constants.signals.SIGUSR2, context.getStore(), new Error('here').stack.split('\n').length > 1)));
for (let i = 0; i < 3; i++) {
  const again = told('SIGUSR2');
  send('SIGUSR2');
  const { id } = await (await fetch(`${process.env.SERVER_URL}/json`)).json();
  console.log(id, await again);
}
process.removeAllListeners('SIGUSR2');

// Two at once, and a number for a name.
const both = Promise.race([told('SIGTERM'), told('SIGHUP')]);
send('SIGTERM');
send(1);
console.log('first', await both);

try {
  process.kill(process.pid, 'SIGNOTHING');
} catch ({ code, message }) {
  console.log(code, message);
}
console.log(process.kill(process.pid, 0), process.emit('SIGUSR1', 'by hand'), process.listenerCount('SIGTERM'));

process.once('SIGINT', () => { throw new Error('thrown by a handler'); });
process.once('uncaughtException', ({ message }) => {
  console.log('caught', message);
  process.once('SIGTERM', async () => {
    console.log('bye', (await (await fetch(`${process.env.SERVER_URL}/json`)).json()).id);
    process.exit(0);
  });
  send('SIGTERM');
});
send('SIGINT');
