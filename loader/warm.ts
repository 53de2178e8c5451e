/** Loads Node's own modules that take references at load, before the sources that they use are patched. */
export function warmInternals(): void {
  for (const name of ['node:net', 'node:tls', 'node:http', 'node:https', 'node:dns', 'node:zlib']) process.getBuiltinModule(name);
  loadUndici();
}

/** undici compiles its parser when it loads, off the thread: done at once, that race is gone. */
function loadUndici(): void {
  const { compile } = WebAssembly;
  WebAssembly.compile = (bytes) => Promise.resolve(new WebAssembly.Module(bytes));
  try {
    // Reading the global loads it.
    void globalThis.Response;
    void globalThis.fetch;
  } finally {
    WebAssembly.compile = compile;
  }
}
