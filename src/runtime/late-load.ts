/** Loads modules of Node's that warn, when they are loaded, that they are experimental: the warning waits for the program. */
import { apply, defineProperty, getOwnPropertyDescriptor, ownKeys } from './natives.ts';
import { patchMethod } from './patches.ts';

type Exports = Record<PropertyKey, unknown>;

/** @param adapt changes the exports of the module, before the program sees them; not called where this runtime has none of that name */
export function loadQuietly(name: string, adapt: (exports: Exports) => void): void {
  const descriptor = getOwnPropertyDescriptor(process, 'emitWarning') as PropertyDescriptor;
  let warning: unknown[] | undefined;
  let exports: Exports | undefined;
  defineProperty(process, 'emitWarning', { ...descriptor, value: (...args: unknown[]) => void (warning = args) });
  try {
    exports = process.getBuiltinModule(name) as Exports | undefined;
  } finally {
    defineProperty(process, 'emitWarning', descriptor);
  }
  if (!exports) return;
  if (warning) warnWhenLoaded(exports, warning, adapt);
  else adapt(exports);
}

/** Whoever loads a module of Node's reads its exports: an import all of them, a require those that it uses. */
function warnWhenLoaded(exports: Exports, warning: unknown[], adapt: (exports: Exports) => void): void {
  const properties = ownKeys(exports).map((key) => [key, getOwnPropertyDescriptor(exports, key) as PropertyDescriptor] as const);
  let isSynchronizing = false;
  patchMethod(process.getBuiltinModule('node:module'), 'syncBuiltinESMExports', (native) => function (this: unknown): unknown {
    isSynchronizing = true;
    try {
      return apply(native, this, []);
    } finally {
      isSynchronizing = false;
    }
  });
  const restore = (): void => {
    for (const [key, property] of properties) defineProperty(exports, key, property);
    adapt(exports);
  };
  for (const [key, property] of properties) {
    defineProperty(exports, key, {
      configurable: true,
      enumerable: property.enumerable ?? false,
      get: () => {
        if (isSynchronizing) return property.value as unknown;
        restore();
        apply(process.emitWarning, process, warning);
        return exports[key];
      },
      set(value: unknown) {
        restore();
        exports[key] = value;
      },
    });
  }
}
