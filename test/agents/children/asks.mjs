// Two commands, one of which is given something.
import { execFileSync, spawn } from 'node:child_process';

console.log(execFileSync('echo', ['one', 'two'], { encoding: 'utf8', env: { ...process.env, MODE: 'careful' } }));
const cat = spawn('cat');
cat.stdout.on('data', (text) => console.log(String(text)));
cat.stdin.end('given text');
