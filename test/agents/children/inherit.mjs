// Children that print where the program prints.
import { execSync, spawn, spawnSync } from 'node:child_process';

const ended = (child) => new Promise((resolve) => child.on('close', (...args) => resolve(args)));
console.log('before');
console.log(await ended(spawn('sh', ['-c', 'echo x >> started; echo straight; echo aside >&2'], { stdio: 'inherit' })));
console.log(await ended(spawn('sh', ['-c', 'seq 1 30000; echo read; echo half >&2'], { stdio: ['ignore', 1, 'inherit'] })));
const speaking = spawn('sh', ['-c', 'for i in 1 2 3; do echo "line $i" >&2; echo "told $i"; read answer; done'], { stdio: ['pipe', 'pipe', 'inherit'] });
for await (const told of speaking.stdout.setEncoding('utf8')) {
  console.error('heard', told.trim());
  speaking.stdin.write('on\n');
}
spawnSync('sh', ['-c', 'echo x >> started; echo sync straight; echo sync aside >&2'], { stdio: 'inherit' });
console.log(execSync('echo read; echo aside >&2', { encoding: 'utf8' }));
console.log(spawnSync('sh', ['-c', 'echo given'], { stdio: ['ignore', process.stdout, 'ignore'] }).output);
spawn('sh', ['-c', 'echo the last word'], { stdio: 'inherit' });
