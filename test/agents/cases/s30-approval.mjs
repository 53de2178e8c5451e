// Case S30: a person approves by typing; the answers go into the next prompt.
import { createInterface } from 'node:readline/promises';
const ask = async (body) => (await (await fetch(`${process.env.SERVER_URL}/json`, { method: 'POST', body })).json()).id;
const { stdin, stdout } = process;
console.log(stdin.isTTY, stdout.isTTY, stdout.columns, stdout.rows, stdin.constructor.name);
const plan = await ask('Propose a refund.');
const terminal = createInterface({ input: stdin, output: stdout });
console.log('plan', plan, terminal.terminal);
const asked = Date.now();
const approved = await terminal.question('approve? ');
console.log('waited', Date.now() - asked, [approved]);
terminal.pause();
await ask('Noted.');
const reason = await terminal.question('reason? ');
terminal.close();
const prompt = `Approved: ${approved}, because: ${reason}`;
console.log([...reason].length, prompt, stdin.isRaw, await ask(prompt));
