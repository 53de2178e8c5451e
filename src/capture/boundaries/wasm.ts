/** WebAssembly: compilation is done again for real; when its promise resolves is recorded. */
import { apply } from '../../runtime/natives.ts';
import { patchMethod } from '../../runtime/patches.ts';
import type { Session } from '../session.ts';

/** @param wasm of a realm; undefined under --jitless */
export function patchWasm(wasm: typeof WebAssembly | undefined, session: Session): void {
  if (!wasm) return;
  for (const name of ['compile', 'instantiate', 'compileStreaming', 'instantiateStreaming']) {
    patchMethod(wasm, name, (native) => function (this: unknown, ...args: unknown[]): unknown {
      // Instantiating a compiled module is instant work that the runtime puts off: done at once, it races with nothing.
      if (name === 'instantiate' && args[0] instanceof wasm.Module) return instantiateNow(wasm, args[0], args[1] as WebAssembly.Imports);
      return new Promise((resolve, reject) => {
        session.ordered('wasm', `["${name}"]`, false, (settle) => {
          (apply(native, this, args) as Promise<unknown>).then((value) => settle(() => resolve(value)), (error: unknown) => settle(() => reject(error as Error)));
        });
      });
    });
  }
}

function instantiateNow(wasm: typeof WebAssembly, module: WebAssembly.Module, imports: WebAssembly.Imports | undefined): Promise<WebAssembly.Instance> {
  try {
    return Promise.resolve(new wasm.Instance(module, imports));
  } catch (error) {
    return Promise.reject(error as Error);
  }
}
