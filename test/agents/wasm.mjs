// WebAssembly compiled and instantiated off the thread, in a race.
const bytes = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0, 65, 42, 11]);
const order = [];
await Promise.all([
  WebAssembly.instantiate(bytes).then(({ instance }) => order.push(`instantiated ${instance.exports.f()}`)),
  WebAssembly.compile(bytes).then((module) => order.push(`compiled ${WebAssembly.Module.exports(module).length}`)),
  WebAssembly.compile(new Uint8Array(3)).catch((error) => order.push(error.name)),
  new Promise((resolve) => setTimeout(() => resolve(order.push('timer')), 0)),
  new Promise((resolve) => setImmediate(() => resolve(order.push('immediate')))),
  fetch(`${process.env.SERVER_URL}/json?d=1`).then(() => order.push('network')),
]);
console.log(order);
