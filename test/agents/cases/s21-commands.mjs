// S21: the commands of a coding agent.
import { exec, execFile, execSync, fork, spawn, spawnSync } from 'node:child_process';

const shown = ({ name, message, code, errno, syscall, path, spawnargs, status, killed, signal, stdout, stderr }) => ({ name, message, code, errno, syscall, path, spawnargs, status, killed, signal, stdout: String(stdout).length, stderr: String(stderr).length });
console.log(execSync('echo x >> started; git rev-parse HEAD', { encoding: 'utf8' }));
try {
  execSync('echo x >> started; exit 3', { stdio: 'pipe' });
} catch (error) {
  console.log(shown(error));
}
const both = spawnSync('sh', ['-c', 'echo x >> started; echo out; echo err >&2; exit 7'], { encoding: 'utf8' });
console.log(both.status, both.signal, both.stdout, both.stderr);
await new Promise((resolve) => execFile('no-such-binary', ['--flag'], (error) => resolve(console.log(shown(error)))));
const sleeping = spawn('sleep', ['60']);
setTimeout(() => sleeping.kill(), 30);
console.log(await new Promise((resolve) => sleeping.on('exit', (...args) => resolve(args))));
await new Promise((resolve) => exec('echo x >> started; seq 1 100000', { maxBuffer: 1000 }, (error, stdout) => resolve(console.log(shown(error), stdout.length))));
const child = fork(new URL('s21-child.mjs', import.meta.url), { silent: true });
child.on('message', (message) => {
  console.log(message);
  child.send({ done: true });
});
console.log(await new Promise((resolve) => child.on('close', (...args) => resolve(args))));
