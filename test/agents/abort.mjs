// Nested races and aborted requests: AbortSignal.timeout, AbortController, AbortSignal.any.
const server = process.env.SERVER_URL;
const outcome = (promise) => promise.then(() => 'answered', (error) => `${error.name}: ${error.message}`);
console.log(await outcome(fetch(`${server}/hang`, { signal: AbortSignal.timeout(30) })));
const controller = new AbortController();
setTimeout(() => controller.abort(new Error('changed my mind')), 20);
console.log(await outcome(fetch(`${server}/hang`, { signal: controller.signal })));
console.log(await outcome(fetch(`${server}/hang`, { signal: AbortSignal.any([new AbortController().signal, AbortSignal.timeout(10)]) })));
const tries = Array.from({ length: 8 }, (_, i) => Promise.race([
  outcome(fetch(`${server}/json?d=40&i=${i}`, { signal: AbortSignal.timeout(20) }).then((response) => response.text())),
  Promise.race([new Promise((resolve) => setTimeout(resolve, 10 + i, 'impatient')), new Promise((resolve) => setImmediate(setTimeout, resolve, 25, 'late'))]),
]));
console.log(await Promise.all(tries));
console.log(AbortSignal.abort().reason.name, await outcome(fetch(server, { signal: AbortSignal.abort() })));
