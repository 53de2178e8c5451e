// TypeScript as Node itself reads it, from version 22: types are blanked out.
import { type Answer, ask } from './s16-ask.ts';

const answer: Answer = await ask(('native' satisfies string) as string);
console.log(answer.id, Date.now(), Math.random());
console.log(new Error('here').stack!.split('\n')[1]);
