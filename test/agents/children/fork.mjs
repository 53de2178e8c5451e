// A child by IPC: messages, their order, a channel that closes, and what goes wrong.
import { fork } from 'node:child_process';

const child = fork(new URL('fork-child.mjs', import.meta.url), ['given'], { execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
child.stdout.setEncoding('utf8').on('data', (text) => console.log('stdout', text));
child.stderr.resume();
const next = () => new Promise((resolve) => child.once('message', resolve));
console.log(await next(), child.connected, child.channel !== null, child.channel.hasRef?.());
for (let i = 0; i < 5; i++) console.log(child.send({ i, text: 'ünbedingt' }, (error) => console.log('sent', i, error)));
const answers = [];
await new Promise((resolve) => child.on('message', function take(message) {
  answers.push(message);
  if (answers.length === 5) resolve(child.off('message', take));
}));
console.log(answers);
child.send({ large: 'x'.repeat(200_000) });
console.log((await next()).length);
console.log(child.send('a text'), await next(), child.send(7), await next(), child.send(null), await next());
try {
  child.send(() => {});
} catch ({ code }) {
  console.log(code);
}
child.on('disconnect', () => console.log('disconnect', child.connected));
child.on('exit', (...args) => console.log('exit', args));
child.on('error', ({ code }) => console.log('error', code));
child.on('close', (...args) => {
  console.log('close', args);
  child.send('too late', ({ code }) => console.log(code));
});
child.disconnect();
