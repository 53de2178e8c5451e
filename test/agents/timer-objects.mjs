// Timeout objects: refresh, unref, hasRef, Symbol.dispose, an error thrown in a callback, setTimeout with bad delays.
const at = Date.now();
let fired = 0;
const refreshed = setTimeout(() => {
  console.log('fired', ++fired, refreshed.hasRef());
  if (fired < 3) refreshed.refresh();
  else afterRefresh();
}, 10);
setTimeout(() => refreshed.refresh(), 5);
function afterRefresh() {
  const forgotten = setTimeout(() => console.log('never'), 60_000).unref();
  console.log(forgotten.hasRef(), forgotten.ref().hasRef(), forgotten.unref().constructor.name, typeof +forgotten);
  const interval = setInterval(() => console.log('once'), 3);
  setTimeout(() => interval[Symbol.dispose]?.() ?? clearInterval(interval), 5);
  for (const delay of [undefined, -1, Number.NaN, '2', 2 ** 32]) setTimeout(() => console.log('delay', String(delay)), delay);
  process.once('uncaughtException', (error) => console.log('caught', error.message, Date.now() >= at));
  setTimeout(() => { throw new Error('in a timer'); }, 20);
  setTimeout((...args) => console.log(args), 30, 1, 'two', null);
  setImmediate(() => console.log('unref’d immediate')).unref();
}
