// A program that was forked itself: what its parent says, and what it tells.
import { inspect } from 'node:util';

console.log(process.connected, process.channel !== undefined, typeof process.send, process.channel?.hasRef?.());
const next = () => new Promise((resolve) => process.once('message', resolve));
console.log(process.send({ hello: process.pid > 0, at: Date.now() }, (error) => console.log('sent', error)));
console.log(inspect(await next(), { depth: 4 }));
for (let i = 0; i < 3; i++) process.send({ i, text: 'ünbedingt', ...(process.argv[2] === 'advanced' && { big: 10n, map: new Map([[i, new Date(0)]]) }) });
const heard = [];
await new Promise((resolve) => process.on('message', function take(message) {
  if (heard.push(message) === 3) resolve(process.off('message', take));
}));
console.log(inspect(heard, { depth: 4 }));
process.send({ large: 'x'.repeat(300_000) });
console.log((await next()).length);
process.on('disconnect', () => console.log('disconnected', process.connected));
if (process.argv[3] === 'waits') await new Promise((resolve) => process.once('disconnect', resolve));
else process.disconnect();
process.exitCode = 3;
