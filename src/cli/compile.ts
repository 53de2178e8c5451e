/**
 * Has the bundles of recorded and replayed processes compiled, once for each version of Node: a program of our own is recorded
 * and replayed, so that what is compiled is what is used. Without it, or where this package cannot be written, all works as ever.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createKeyPair } from '../journal/crypto.ts';
import { checkOf, type CompiledBundle, compiledFile } from '../model/compiled.ts';
import { uuidv7 } from '../model/uuid.ts';
import { EmbeddedStore } from '../store/embedded.ts';
import { ended, launch } from './harnessed.ts';
import { DIST } from './package-files.ts';
import { confined } from './replay/perform.ts';
import { planOf } from './replay/plan.ts';
import { connect } from './replay/streams.ts';

const LOADER = `${DIST}/loader`;
/** After this, whoever was at it has died. */
const GIVEN_UP_MS = 60_000;

/** A little of everything that agents do. */
const PROGRAM = `
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
const server = createServer((request, response) => request.resume().on('end', () => response.end('{"id":1}')));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
for (let call = 0; call < 3; call++) {
  const response = await fetch('http://127.0.0.1:' + server.address().port, { method: 'POST', body: JSON.stringify({ call }) });
  console.log(new Date(), Math.random(), randomUUID(), performance.now(), await response.json());
  await sleep(1);
}
console.log((await readFile(process.argv[1], 'utf8')).length);
server.closeAllConnections();
server.close();
`;

/** Goes on beside what the caller does; never fails. */
export async function compileBundles(): Promise<void> {
  if (!take()) return;
  const folder = mkdtempSync(join(tmpdir(), 'replay-harness-compile-'));
  try {
    await compile(folder);
  } catch {
    // The start of a process stays what it was.
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(lock(), { force: true });
  }
}

function lock(): string {
  return `${compiledFile(LOADER, 'replay')}.lock`;
}

/** @returns whether it is for this process to do */
function take(): boolean {
  try {
    mkdirSync(dirname(lock()), { recursive: true });
    if (existsSync(lock()) && Date.now() - statSync(lock()).mtimeMs > GIVEN_UP_MS) rmSync(lock(), { force: true });
    writeFileSync(lock(), '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

async function compile(folder: string): Promise<void> {
  const program = join(folder, 'program.mjs');
  writeFileSync(program, PROGRAM);
  const { recipient, identity } = createKeyPair();
  const store = new EmbeddedStore(join(folder, 'store'));
  const run = uuidv7();
  const env = { PATH: process.env['PATH'] };
  const [recorded, replayed] = [join(folder, 'record'), join(folder, 'replay')];
  await ended(launch({ command: process.execPath, args: [program], cwd: folder, inject: true, env, stdio: 'ignore', control: { mode: 'record', store: store.location, run, recipients: [recipient], compileTo: recorded } }));
  const { events: [begin], runKey } = store.tape(store.find(run), [identity]);
  if (begin?.type !== 'begin') return;
  const plan = planOf(begin.facts, { store: store.location, runKey, folder, mode: 'process', node: undefined, env: {}, command: undefined, loose: false, match: undefined, user: env });
  const { stdio, close } = connect(begin.facts, folder, { silent: true });
  await confined(plan, stdio, { compileTo: replayed }, () => undefined);
  close();
  // The one that is looked for comes last.
  keep('record', recorded);
  keep('replay', replayed);
}

/** Others may read it meanwhile. */
function keep(bundle: CompiledBundle, from: string): void {
  const data = readFileSync(from);
  if (data.length === 0) return;
  const file = compiledFile(LOADER, bundle);
  const draft = `${file}.${process.pid}`;
  const filename = `${LOADER}/${bundle}.cjs`;
  writeFileSync(draft, Buffer.concat([checkOf(filename, readFileSync(filename), data), data]));
  renameSync(draft, file);
}
