// Commands run to their end: results and every shape of error.
import { exec, execFile } from 'node:child_process';
import { promisify } from 'node:util';

const shown = ({ name, message, code, killed, signal, cmd, stdout, stderr, errno, syscall, path, spawnargs }) => ({ name, message, code, killed, signal, cmd, stdout, stderr, errno, syscall, path, spawnargs });
const [run, runFile] = [promisify(exec), promisify(execFile)];
const attempt = async (promise) => {
  try {
    console.log(await promise);
  } catch (error) {
    console.log(shown(error), error instanceof Error);
  }
};

await Promise.all([
  attempt(run('echo x >> started; date +%N; echo err >&2')),
  attempt(run('echo x >> started; echo partly; exit 9')),
  attempt(runFile('no-such-binary', ['a', 'b c'])),
  attempt(run('no-such-command-in-a-shell')),
  attempt(run('echo x >> started; seq 1 100000', { maxBuffer: 500 })),
  attempt(run('echo begun; exec sleep 60', { timeout: 60 })),
  attempt(run('exec sleep 60', { timeout: 40, killSignal: 'SIGINT' })),
  attempt(runFile('sh', ['-c', 'printf "\\303\\274 \\377"'], { encoding: 'buffer' })),
  attempt(runFile('sh', ['-c', 'kill -9 $$'])),
]);
const aborting = new AbortController();
const aborted = attempt(run('echo x >> started; exec sleep 60', { signal: aborting.signal }));
setTimeout(() => aborting.abort(), 20);
await aborted;
await attempt(run('true', { signal: AbortSignal.abort('too early') }));
await new Promise((resolve) => execFile(process.execPath, ['-p', 'process.pid; 6 * 7'], (error, stdout, stderr) => resolve(console.log(error, stdout, stderr))));
const child = exec('cat', (error, stdout) => console.log(error, stdout));
child.stdin.end('by callback');
console.log((await run('pwd', { cwd: '/' })).stdout, (await run('echo "$LONE"', { env: { PATH: process.env.PATH, LONE: 'alone' } })).stdout);
