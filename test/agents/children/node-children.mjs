// Node as a child, in every way to start it; each tells what it sees, and so do programs that are not Node.
import { exec, execFile, execFileSync, fork, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const child = fileURLToPath(new URL('node-child.mjs', import.meta.url));
const node = process.execPath;
const given = {};
const forked = (options) => new Promise((resolve) => fork(child, ['forked'], options).on('message', resolve));
console.log(execFileSync(node, [child, 'plain'], { encoding: 'utf8' }));
console.log(spawnSync(node, [child, 'no environment'], { encoding: 'utf8', env: given }).stdout, given);
console.log((await promisify(execFile)(node, ['--no-warnings', child, 'an option'], { env: { ...process.env, NODE_OPTIONS: '--no-deprecation' } })).stdout);
console.log((await promisify(exec)(`"${node}" "${child}" 'in a shell' && exec "${node}" "${child}" second`)).stdout);
console.log(await forked({ execArgv: [], env: {} }));
console.log(await forked({ execArgv: ['--no-warnings'] }));
console.log((await promisify(execFile)(node, ['-p', '[process.argv.length, process.execArgv]'])).stdout);
console.log((await promisify(exec)('env | sort | grep -v ^_=')).stdout === (await promisify(exec)('env | sort | grep -v ^_=', { env: process.env })).stdout);
console.log((await promisify(exec)('env | grep -c -e NODE_OPTIONS -e REPLAY_HARNESS_CONTROL || true')).stdout);
