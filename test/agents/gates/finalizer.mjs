// Whether anything is collected depends on what a module says, and modules are read live.
import { collect } from './collect.mjs';
new FinalizationRegistry((held) => console.log(held)).register({}, 'collected');
const ref = new WeakRef({});
for (let round = 0; round < 5; round++) {
  await new Promise(setImmediate);
  if (collect) gc();
}
console.log(ref.deref() === undefined);
