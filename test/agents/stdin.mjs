// Standard input to its end: as text, then what it says about itself.
let text = '';
process.stdin.setEncoding('utf8');
for await (const chunk of process.stdin) text += chunk;
console.log(text.length, text.split('\n').map((line) => line.toUpperCase()).slice(0, 3), process.stdin.isTTY, process.stdin.fd, process.stdin.constructor.name);
const { answer } = JSON.parse(text.split('\n')[0]);
console.log(await (await fetch(`${process.env.SERVER_URL}/json`, { method: 'POST', body: answer })).json());
