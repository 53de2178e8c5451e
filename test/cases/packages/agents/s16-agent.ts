// TypeScript whose imports leave the extension out.
import { type Answer, ask } from './s16-ask';

const answer: Answer = await ask('plain');
console.log(answer.id, Date.now(), Math.random());

function fail(): never {
  throw new Error('on purpose');
}
try {
  fail();
} catch (error) {
  console.log((error as Error).stack!.split('\n').slice(1, 3).join('\n'));
}
