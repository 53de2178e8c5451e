// import() against timers, fetch and microtasks; a module that waits, one that fails, one that does not exist; JSON; require.
import { createRequire } from 'node:module';
const order = [];
const note = (name) => (value) => order.push(`${name}${typeof value === 'string' ? ` ${value}` : ''}`);
setTimeout(note('timer 0'), 0);
setTimeout(note('timer 2'), 2);
setImmediate(note('immediate'));
await Promise.all([
  import('./modules/plain.mjs').then(({ value }) => note('plain')(value)),
  import('./modules/slow.mjs').then(({ value }) => note('slow')(value)),
  import('./modules/common.cjs').then(({ default: value }) => note('common')(value.name)),
  import('./modules/data.json', { with: { type: 'json' } }).then(({ default: { name } }) => note('json')(name)),
  import('./modules/broken.mjs').catch((error) => note('broken')(error.message)),
  import('./modules/absent.mjs').catch((error) => note('absent')(error.code)),
  import('data:text/javascript,export const value = "data"').then(({ value }) => note('url')(value)),
  fetch(`${process.env.SERVER_URL}/json?d=4`).then(note('network')),
  import('axios').then(({ VERSION }) => note('package')(VERSION)),
]);
order.push(createRequire(import.meta.url)('./modules/common.cjs').name);
console.log(order, import.meta.resolve('./x.mjs').endsWith('/x.mjs'));
