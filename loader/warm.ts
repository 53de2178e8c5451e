import { holdBackDispatcher } from '../src/runtime/lazy-globals.ts';

/** Node's own modules that take references at load. From Node 22 on, loading http loads undici. */
const MODULES = ['node:net', 'node:tls', 'node:http', 'node:https', 'node:dns', 'node:zlib'];

/** Loads them before the sources that they use are patched. @returns called when all is patched: hides that they are loaded */
export function warmInternals(): () => void {
  const [giveBack, watch] = compileAtOnce(() => holdBackDispatcher(() => {
    for (const name of MODULES) process.getBuiltinModule(name);
    loadUndici();
  }));
  return () => {
    giveBack();
    watch();
  };
}

/** Reading the globals loads it. */
function loadUndici(): void {
  void globalThis.Response;
  void globalThis.fetch;
}

/** undici compiles its parser when it loads, off the thread: done at once, that race is gone. */
function compileAtOnce<T>(load: () => T): T {
  const { compile } = WebAssembly;
  WebAssembly.compile = (bytes) => Promise.resolve(new WebAssembly.Module(bytes));
  try {
    return load();
  } finally {
    WebAssembly.compile = compile;
  }
}
