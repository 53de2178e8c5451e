// A top-level await that rejects: the loader's own frames are in the stack.
await import('./modules/broken.mjs');
