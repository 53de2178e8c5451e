// Answers whose bodies nobody reads, while the garbage collector runs (node --expose-gc): connections, finalizers, WeakRefs.
const server = process.env.SERVER_URL;
const registry = new FinalizationRegistry((held) => freed.push(held));
const freed = [];
for (let i = 0; i < 12; i++) {
  const response = await fetch(`${server}/large?bytes=${60_000 + i}`);
  console.log(i, response.status);
  registry.register(response, i);
  globalThis.gc();
}
let weak = new WeakRef({ some: 'object' });
console.log(weak.deref());
for (let i = 0; i < 5; i++) {
  await new Promise((resolve) => setTimeout(resolve, 5));
  globalThis.gc();
}
console.log(freed.sort((a, b) => a - b).join(), weak.deref(), (await (await fetch(`${server}/json`)).json()).id);
process.exit();
