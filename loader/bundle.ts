/**
 * Loads a bundle with its compiled code, where that was kept: compiling is much of what the start of a process pays for us. V8
 * takes it where its version and its options are the same, and compiles as ever where they are not.
 */
import { CHECK_BYTES, checkOf, type CompiledBundle, compiledFile } from '../src/model/compiled.ts';
import { binding } from '../src/runtime/bindings.ts';

const { getBuiltinModule } = process;
const fs = getBuiltinModule('node:fs');
const { Script } = getBuiltinModule('node:vm');

/** @param keepIn file that the compiled code is written to when the process ends: it is no agent's */
export function loadBundle(name: CompiledBundle, keepIn: string | undefined): void {
  const filename = `${__dirname}/${name}.cjs`;
  const code = fs.readFileSync(filename);
  const cachedData = keepIn === undefined ? compiled(compiledFile(__dirname, name), filename, code) : undefined;
  // What esbuild writes is ASCII.
  const script = new Script(code.latin1Slice(), { filename, ...(cachedData && { cachedData }) });
  if (keepIn !== undefined) keep(script, keepIn);
  const module = { exports: {} };
  (script.runInThisContext() as (...args: unknown[]) => void)(module.exports, load, module, filename, __dirname);
}

/** Nearly all that a bundle requires is Node's own: it does not pass the loader of CommonJS. */
function load(name: string): unknown {
  return getBuiltinModule(name) ?? (getBuiltinModule('node:module').createRequire(`${__dirname}/`)(name) as unknown);
}

function compiled(file: string, filename: string, code: Buffer): Buffer | undefined {
  let kept: Buffer;
  try {
    kept = fs.readFileSync(file);
  } catch {
    return undefined;
  }
  // V8 believes what it reads, and compares no more than the length of the code.
  const data = kept.subarray(CHECK_BYTES);
  return checkOf(filename, code, data).equals(kept.subarray(0, CHECK_BYTES)) ? data : undefined;
}

/** At the end: functions that nobody has called are not in it. By then `fs` is the program's. */
function keep(script: InstanceType<typeof Script>, file: string): void {
  const { writeBuffer } = binding('fs') as { writeBuffer: (fd: number, bytes: Uint8Array, offset: number, length: number, position: number, request: undefined, failure: object) => number };
  const fd = fs.openSync(file, 'wx', 0o600);
  process.once('exit', () => {
    const data = script.createCachedData();
    for (let at = 0; at < data.length;) at += writeBuffer(fd, data, at, data.length - at, at, undefined, {});
  });
}
