// Lines of standard input by readline, each answered before the next is read; then a question.
import { createInterface } from 'node:readline';
import { createInterface as questions } from 'node:readline/promises';
const lines = createInterface({ input: process.stdin });
for await (const line of lines) {
  console.log(line, (await (await fetch(`${process.env.SERVER_URL}/json?d=10&line=${encodeURIComponent(line)}`)).json()).id);
  if (line === 'enough') break;
}
lines.close();
const asked = questions({ input: process.stdin, output: process.stdout });
asked.on('close', () => console.log('closed'));
setTimeout(() => asked.close(), 10);
await asked.question('anything else? ', { signal: AbortSignal.timeout(30) }).then(console.log, (error) => console.log(error.name));
