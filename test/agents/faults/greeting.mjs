// A small recording: one of each sort of event, without a network.
import { readFileSync } from 'node:fs';
const { length } = readFileSync(new URL(import.meta.url), 'utf8');
await new Promise((resolve) => setTimeout(resolve, 1));
console.log(length > 0, Date.now(), Math.random(), crypto.randomUUID());
