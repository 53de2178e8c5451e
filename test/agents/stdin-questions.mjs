// A question by readline/promises, an answer, a second question that nobody answers in time.
import { createInterface } from 'node:readline/promises';
const terminal = createInterface({ input: process.stdin, output: process.stdout });
const answer = await terminal.question('approve? ');
console.log(answer, await (await fetch(`${process.env.SERVER_URL}/json`, { method: 'POST', body: answer })).json());
await terminal.question('reason? ', { signal: AbortSignal.timeout(30) }).then(console.log, (error) => console.log(error.name));
terminal.close();
