// Lines of standard input by readline, each answered before the next is read.
import { createInterface } from 'node:readline';
const lines = createInterface({ input: process.stdin });
for await (const line of lines) {
  console.log(line, (await (await fetch(`${process.env.SERVER_URL}/json?d=10&line=${encodeURIComponent(line)}`)).json()).id);
  if (line === 'enough') break;
}
console.log('closed', lines.closed, process.stdin.destroyed);
