// As greeting.mjs, and then not even a chance to close anything.
await import('./greeting.mjs');
process.kill(process.pid, 'SIGKILL');
