// Signals to children, by object and by number, and children that nobody waits for.
import { spawn } from 'node:child_process';

const ended = (child) => new Promise((resolve) => child.on('close', (...args) => resolve(args)));
const trapping = spawn('sh', ['-c', 'echo x >> started; trap "echo trapped; exit 5" USR1; echo ready; while :; do sleep 0.01; done']);
await new Promise((resolve) => trapping.stdout.once('data', resolve));
console.log(process.kill(trapping.pid, 0), process.kill(trapping.pid, 'SIGUSR1'));
trapping.stdout.on('data', (text) => console.log(String(text)));
console.log(await ended(trapping));
try {
  process.kill(trapping.pid, 'SIGTERM');
} catch ({ code, errno, syscall, message }) {
  console.log(code, errno, syscall, message);
}
try {
  process.kill(trapping.pid, 'SIGNOTHING');
} catch ({ code }) {
  console.log(code);
}
for (const signal of ['SIGINT', 'SIGKILL', 9]) {
  const child = spawn('sleep', ['60']);
  child.kill(signal);
  console.log(await ended(child), child.kill(0));
}
const group = spawn('sh', ['-c', 'echo x >> started; sleep 60 & echo $!; wait'], { detached: true });
await new Promise((resolve) => group.stdout.once('data', resolve));
console.log(process.kill(-group.pid, 'SIGTERM'), await ended(group));
console.log(process.kill(process.ppid, 0));
const left = spawn('sleep', ['0.3'], { detached: true, stdio: 'ignore' });
left.unref();
left.on('exit', () => console.log('never printed'));
console.log(typeof left.pid, left._handle.hasRef());
await new Promise((resolve) => setTimeout(resolve, 5));
