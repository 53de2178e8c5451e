// Everything in node:crypto that answers with random bytes or numbers, at once or to a callback; Math.random a thousand times.
import crypto from 'node:crypto';
import { createHash, randomFill, randomFillSync } from 'node:crypto';
import { promisify } from 'node:util';
const hash = createHash('sha256');
for (let i = 0; i < 1000; i++) hash.update(String(Math.random()));
console.log(hash.digest('hex'), Math.random());
console.log(Array.from({ length: 300 }, () => crypto.randomUUID()).join().length, crypto.randomUUID({ disableEntropyCache: true }));
console.log(crypto.randomBytes(5), crypto.pseudoRandomBytes(5), crypto.randomInt(10), crypto.randomInt(5, 2 ** 40));
console.log(randomFillSync(new Uint8Array(6)), randomFillSync(Buffer.alloc(8), 2, 4), randomFillSync(new Float64Array(1)), randomFillSync(new ArrayBuffer(4)));
console.log(crypto.getRandomValues(new Int16Array(3)), globalThis.crypto.getRandomValues(new Uint8Array(2)), crypto.webcrypto.randomUUID());
const randomBytes = promisify(crypto.randomBytes);
const randomInt = promisify(crypto.randomInt);
console.log(await randomBytes(4), await randomInt(1e6), await randomInt(100, 200), await promisify(randomFill)(new Uint32Array(2)));
console.log(await Promise.all(Array.from({ length: 6 }, async (_, i) => `${i}:${(await randomBytes(i + 1)).toString('hex')}`)));
const order = [];
await Promise.all([1, 2, 3].map((i) => new Promise((resolve) => crypto.randomBytes(64_000, () => resolve(order.push(`bytes ${i}`))))).concat(new Promise((resolve) => setTimeout(() => resolve(order.push('timer')), 0))));
console.log(order, crypto.generatePrimeSync(32, { bigint: true }), await promisify(crypto.generatePrime)(24, { bigint: true }));
for (const bad of [() => crypto.randomBytes(-1), () => crypto.randomInt(5, 1), () => crypto.getRandomValues([])]) try { bad(); } catch (error) { console.log(error.name, error.code, error.message); }
