import { keepLazy } from '../src/runtime/lazy-globals.ts';

/** Node's own modules that take references at load. undici is none of them: all that it takes is patched where it is called. */
const MODULES = ['node:net', 'node:tls', 'node:http', 'node:https', 'node:dns', 'node:zlib'];

/** Loads them before the sources that they use are patched. @returns called when all is patched: hides which globals were read */
export function warmInternals(): () => void {
  const giveBack = keepLazy();
  for (const name of MODULES) process.getBuiltinModule(name);
  return giveBack;
}

/**
 * As recorders of surface 0 did: its parser is compiled at once, off no thread.
 * @param ready is called when it is; default: at once
 */
export function loadUndiciFirst(ready: (run: () => void) => void = (run) => run()): void {
  const { compile } = WebAssembly;
  WebAssembly.compile = (bytes) => new Promise((resolve) => ready(() => resolve(new WebAssembly.Module(bytes))));
  try {
    // Reading the globals loads it.
    void globalThis.Response;
    void globalThis.fetch;
  } finally {
    WebAssembly.compile = compile;
  }
}
