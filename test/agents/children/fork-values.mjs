// Values that JSON cannot carry, to a child and back by the advanced serialization.
import { fork } from 'node:child_process';
import { inspect } from 'node:util';

const value = { big: 10n, nan: NaN, inf: -Infinity, z: -0, d: new Date(86_400_000), m: new Map([[{ key: 1 }, new Set([1n])]]), s: new Set(['a', 'b']), buf: Buffer.from([0, 255, 128]), typed: new Float64Array([0.5, -0]), u: undefined, re: /x+/giu, err: new TypeError('wrong', { cause: new RangeError('deeper') }) };
value.cyc = value;
const child = fork(new URL('fork-values-child.mjs', import.meta.url), { serialization: 'advanced' });
child.on('message', (message) => {
  const { back, heard, now } = message;
  console.log(typeof now, heard);
  console.log(inspect({ ...back, err: undefined }, { depth: 5 }));
  console.log(Object.is(back.z, -0), Object.is(back.nan, NaN), back.cyc === back, back.buf instanceof Uint8Array, back.err instanceof TypeError, back.err?.message, back.err?.cause?.message, 'u' in back);
  if (message.last) child.disconnect();
  else child.send({ ...value, last: true });
});
child.on('exit', (...args) => console.log(args));
child.send(value);
