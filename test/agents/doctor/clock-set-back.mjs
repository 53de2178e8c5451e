// Sees the wall clock before and after somebody sets it.
import { truncateSync } from 'node:fs';
const before = Date.now();
truncateSync(process.env.CLOCK_FILE, 1_000_000 - 3600);
console.log(before > Date.now());
