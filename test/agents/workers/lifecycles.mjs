// How threads begin and end: options, output, errors, exits, termination.
import { once } from 'node:events';
import { SHARE_ENV, Worker, setEnvironmentData } from 'node:worker_threads';

// How the entry is looked for depends on whether something is imported before it.
const told = (error) => `${error.name} ${error.code ?? ''} ${error.message} ${error.cause ?? ''}`.trim().replace('ERR_MODULE', 'MODULE').replace(/ imported from .*/, '');
let count = 0;
async function run(name, script, options = {}, act = () => {}) {
  const lines = [];
  const worker = new Worker(script, { eval: typeof script === 'string' && !script.startsWith('/'), ...options });
  lines.push(`${name} thread ${worker.threadId - count++}`);
  for (const event of ['online', 'message', 'messageerror']) worker.on(event, (value) => lines.push(`${event} ${JSON.stringify(value)}`));
  worker.on('error', (error) => lines.push(`error ${told(error)} ${error instanceof TypeError}`));
  for (const stream of ['stdout', 'stderr']) if (options[stream]) worker[stream].setEncoding('utf8').on('data', (text) => lines.push(`${stream} ${JSON.stringify(text)}`)).on('end', () => lines.push(`${stream} ended`));
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  await act(worker, lines);
  const code = await ended;
  lines.push(`exit ${code}`, `after: ${worker.threadId} ${JSON.stringify(worker.resourceLimits)}`);
  console.log(lines.join('\n'));
}
const post = (code) => `const { parentPort, workerData, threadId, isMainThread, getEnvironmentData } = require('node:worker_threads'); parentPort.postMessage(${code});`;

await run('plain', post('[isMainThread, workerData]'), { workerData: 'data' });
await run('env', post('[process.env.MARK, process.env.OTHER]'), { env: { MARK: 'own' } });
process.env.SHARED = 'by both';
await run('shared env', `process.env.BACK = 'from the thread'; ${post('process.env.SHARED')}`, { env: SHARE_ENV });
console.log(process.env.BACK);
await run('execArgv', post('process.execArgv'), { execArgv: [] });
await run('execArgv and env', post('[process.execArgv, Object.keys(process.env), process.argv.length]'), { execArgv: ['--no-warnings'], env: {}, argv: ['an', 'argument'] });
setEnvironmentData('key', { of: 'all' });
await run('environment data', post('getEnvironmentData("key")'));
await run('data URL', new URL(`data:text/javascript,${encodeURIComponent("import { parentPort } from 'node:worker_threads'; parentPort.postMessage(import.meta.url.slice(0, 5));")}`), { eval: false });
await run('output', `console.log('to stdout'); console.error('to stderr'); process.stdout.write('unended');`, { stdout: true, stderr: true });
await run('input', `process.stdin.setEncoding('utf8').on('data', (text) => console.log('read', text)).on('end', () => console.log('end of input'));`, { stdin: true, stdout: true }, (worker) => {
  worker.stdin.write('first ');
  worker.stdin.end('last');
});
await run('throws', `throw new TypeError('thrown', { cause: 'of old' })`);
await run('rejects', `Promise.reject(new RangeError('rejected'))`);
await run('throws a value', `throw { plain: 'object' }`);
await run('syntax', `this is no JavaScript`);
await run('exit', `process.on('exit', (code) => require('node:worker_threads').parentPort.postMessage(['exiting', code])); process.exit(5)`);
await run('missing', '/nowhere/at/all.mjs', { eval: false });
await run('terminated', `require('node:worker_threads').parentPort.on('message', () => {}); setInterval(() => {}, 1000)`, {}, async (worker, lines) => {
  await once(worker, 'online');
  lines.push(`terminate gave ${await worker.terminate().then((code) => { lines.push('terminated'); return code; }, told)}`);
});
await run('limits', post('require("node:worker_threads").resourceLimits'), { resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8, stackSizeMb: 2 } }, (worker, lines) => worker.once('online', () => lines.push(JSON.stringify(worker.resourceLimits), typeof worker.performance.eventLoopUtilization().utilization)));
await run('out of memory', `const kept = []; for (;;) kept.push(new Array(1e5).fill({}));`, { resourceLimits: { maxOldGenerationSizeMb: 16 } });
for (const bad of [[7], ['relative.js'], ['1', { eval: true, execArgv: ['--no-such-option'] }], ['1', { eval: true, env: 7 }], ['1', { eval: true, workerData: () => {} }]]) {
  try {
    new Worker(...bad);
  } catch (error) {
    console.log(told(error).split('\n')[0]);
  }
}
// One that nobody waits for.
const idle = new Worker(`setInterval(() => {}, 1000)`, { eval: true });
idle.unref();
process.on('exit', (code) => console.log('exit of all', code));
