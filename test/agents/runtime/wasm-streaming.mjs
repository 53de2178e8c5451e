// WebAssembly from answers and streams: compiled while it comes, instantiated with imports, refused; in races.
const bytes = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0, 65, 42, 11]);
const importing = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 2, 7, 1, 1, 97, 1, 98, 0, 0, 7, 5, 1, 1, 102, 0, 0]);
const headers = { 'content-type': 'application/wasm' };
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const slowly = () => new Response(new ReadableStream({ async start(stream) { for (let i = 0; i < bytes.length; i += 9) { stream.enqueue(bytes.subarray(i, i + 9)); await sleep(1); } stream.close(); } }), { headers });
const order = [];
const done = (name) => (value) => order.push(`${name} ${value instanceof WebAssembly.Module ? 'module' : value.instance?.exports.f() ?? value.exports?.f() ?? value}`);
const failed = (name) => (error) => order.push(`${name} ${error.name}`);
await Promise.all([
  WebAssembly.compileStreaming(slowly()).then(done('slow')),
  WebAssembly.instantiateStreaming(new Response(bytes, { headers })).then(done('at once')),
  WebAssembly.instantiateStreaming(Promise.resolve(slowly())).then(done('promised')),
  WebAssembly.instantiate(importing, { a: { b: () => Math.floor(Math.random() * 1000) } }).then(done('with imports')),
  WebAssembly.instantiate(importing, {}).catch(failed('without imports')),
  WebAssembly.compile(bytes).then((module) => WebAssembly.instantiate(module)).then(done('in two steps')),
  WebAssembly.compileStreaming(new Response(bytes)).catch(failed('without a type')),
  WebAssembly.compileStreaming(new Response('no wasm', { headers })).catch(failed('something else')),
  WebAssembly.compileStreaming(fetch(`${process.env.SERVER_URL}/json`)).catch(failed('json')),
  WebAssembly.compileStreaming(3).catch(failed('a number')),
  sleep(1).then(() => order.push('timer')),
  fetch(`${process.env.SERVER_URL}/json?d=1`).then(() => order.push('network')),
]);
console.log(order, WebAssembly.validate(bytes), WebAssembly.validate(new Uint8Array(4)));
const memory = new WebAssembly.Memory({ initial: 1, maximum: 3 });
console.log(memory.grow(1), memory.buffer.byteLength, new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.f());
