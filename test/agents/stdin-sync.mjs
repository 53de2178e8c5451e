// Standard input by descriptor: readFileSync(0), as small scripts do.
import { readFileSync } from 'node:fs';
const text = readFileSync(0, 'utf8');
console.log(text.length, JSON.stringify(text.slice(0, 40)));
