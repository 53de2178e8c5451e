// Any native addon.
import { createRequire } from 'node:module';
console.log(typeof createRequire(import.meta.url)('@unrs/resolver-binding-linux-x64-gnu'));
