// Several children at once: what is told, in which order, and what the objects hold.
import { spawn } from 'node:child_process';

const seen = [];
const watch = (name, child) => new Promise((resolve) => {
  const tell = (what, ...args) => seen.push([name, what, ...args].join(' '));
  child.on('spawn', () => tell('spawn', typeof child.pid, child.spawnfile, child.spawnargs.join('|')));
  child.on('error', ({ code, errno, syscall, path, spawnargs, message }) => tell('error', code, errno, syscall, path, spawnargs?.join('|'), message));
  child.on('exit', (code, signal) => tell('exit', code, signal, child.exitCode, child.signalCode, child.killed));
  child.on('close', (code, signal) => resolve(tell('close', code, signal)));
  child.stdout?.on('data', (chunk) => tell('stdout', chunk)).on('end', () => tell('stdout end')).on('close', () => tell('stdout close'));
  child.stderr?.on('data', (chunk) => tell('stderr', chunk)).on('end', () => tell('stderr end'));
});

const script = 'echo x >> started; echo out $0; echo err >&2; exit $1';
const children = {
  first: spawn('sh', ['-c', script, 'a', '0']),
  second: spawn('sh', ['-c', script, 'b', '7'], { stdio: ['ignore', 'pipe', 'pipe'] }),
  missing: spawn('no-such-program', ['x', 'y']),
  elsewhere: spawn('sh', ['-c', 'echo x >> started'], { cwd: '/no/such/folder' }),
  silent: spawn('sh', ['-c', 'echo x >> started; exit 3'], { stdio: 'ignore' }),
  shell: spawn('echo x >> started; echo "$WORD"', { shell: true, env: { ...process.env, WORD: 'from the environment' } }),
  killed: spawn('sleep', ['60']),
  named: spawn('sh', ['-c', 'echo x >> started; echo $0'], { argv0: 'called-otherwise' }),
};
console.log(Object.values(children).map(({ pid }) => pid), children.missing.pid, children.first.stdio.length, children.silent.stdout);
children.killed.once('spawn', () => console.log(children.killed.kill(), children.killed.killed));
await Promise.all(Object.entries(children).map(([name, child]) => watch(name, child)));
for (const line of seen) console.log(line);
console.log(children.killed.kill(), children.first.kill('SIGKILL'), children.first.exitCode, children.killed.signalCode);
try {
  spawn('sh', [], { stdio: ['pipe', 'nonsense'] });
} catch ({ code, message }) {
  console.log(code, message);
}
