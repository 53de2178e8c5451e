// Case S07: nested fan-out; every follow-up says who was done before it.
import { createHash } from 'node:crypto';
const server = process.env.SERVER_URL;
const done = [];
const call = async (body, d) => (await (await fetch(`${server}/json?d=${d}`, { method: 'POST', body })).json()).id;
async function tool(name, inner) {
  await call(name, 80);
  done.push(name);
  const ids = inner ? await Promise.all(inner.map((part) => tool(`${name}.${part}`))) : [];
  return call(`${name} after ${done.join()} with ${ids}`, 20);
}
const ids = await Promise.all([tool('a', [1, 2, 3]), tool('b'), tool('c', ['x', 'y', 'z']), tool('d'), tool('e')]);
const prompt = `Done: ${done.join()}. Results: ${ids.join()}.`;
console.log(done.join());
console.log(createHash('sha256').update(prompt).digest('hex'), await call(prompt, 10));
