// Errors thrown in timers and immediates: the others of the same turn go on.
process.on('uncaughtException', ({ message }) => console.log('uncaught', message));
for (let i = 0; i < 4; i++) {
  setTimeout(() => { console.log('timer', i); if (i % 2) throw new Error(`timer ${i}`); }, 1);
  setImmediate(() => { console.log('immediate', i); if (i % 2) throw new Error(`immediate ${i}`); });
}
let n = 0;
const interval = setInterval(() => {
  console.log('interval', ++n);
  if (n === 3) clearInterval(interval);
  if (n === 1) throw new Error('interval');
}, 3);
