// Children that an agent runs one after the other for what they print: BENCH_CALLS of them. CPU is that of the agent's process alone.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';

const COUNT = Number(process.env.BENCH_CALLS);
const run = promisify(execFile);
const digest = createHash('sha256');
let ok = 0;

const before = process.cpuUsage();
for (let call = 0; call < COUNT; call++) {
  const { stdout } = await run('sh', ['-c', `echo child ${call} $$`]);
  digest.update(stdout);
  ok++;
}
const { user, system } = process.cpuUsage(before);
console.log(`answers ${ok}/${COUNT} ${digest.digest('hex').slice(0, 16)}`);
console.log(JSON.stringify({ loopCpuMs: (user + system) / 1000 }));
