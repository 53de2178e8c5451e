// Imports by way of module hooks, which answer from a thread of Node's own.
import { register } from 'node:module';
register('data:text/javascript,export const resolve = (name, context, next) => next(name, context);');
const imported = import('./collect.mjs').then(() => console.log('imported'));
for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
console.log('turned');
await imported;
