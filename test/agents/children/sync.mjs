// Synchronous children.
import { execFileSync, execSync, spawnSync } from 'node:child_process';

const shown = ({ name, message, code, errno, syscall, path, spawnargs, status, signal, stdout, stderr }) => ({ name, message, code, errno, syscall, path, spawnargs, status, signal, stdout: String(stdout), stderr: String(stderr) });
const attempt = (call) => {
  try {
    console.log(call());
  } catch (error) {
    console.log(shown(error), Object.keys(error));
  }
};

attempt(() => execSync('echo x >> started; date +%N; echo to stderr >&2', { encoding: 'utf8' }));
attempt(() => execSync('echo x >> started; echo out; echo err >&2; exit 3', { stdio: 'pipe' }));
attempt(() => execFileSync('no-such-binary', ['a']));
attempt(() => execFileSync('sh', ['-c', 'kill -TERM $$']));
attempt(() => spawnSync('sh', ['-c', 'echo x >> started; echo both; echo both >&2; exit 7']));
attempt(() => spawnSync('no-such-binary', ['a', 'b']).error);
attempt(() => spawnSync('sleep', ['60'], { timeout: 30 }));
attempt(() => spawnSync('seq', ['1', '100000'], { maxBuffer: 1000 }).error);
attempt(() => spawnSync('cat', { input: 'ünbedingt', encoding: 'utf8' }).stdout);
attempt(() => spawnSync('cat', { input: Buffer.alloc(200_000, 'x') }).stdout.length);
attempt(() => spawnSync('sh', ['-c', 'echo on three >&3'], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] }).output.map(String));
attempt(() => spawnSync('sh', ['-c', 'pwd; echo "$LONE"'], { cwd: '/', env: { PATH: process.env.PATH, LONE: 'alone' }, encoding: 'utf8' }));
attempt(() => spawnSync('sh', ['-c', 'true'], { stdio: 'nonsense' }));
