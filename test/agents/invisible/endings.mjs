// Ways in which a program can end, chosen by the argument: what it hears of them, and what stands on stderr.
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const endings = {
  'uncaught in a timer': () => setTimeout(function fail() { throw new TypeError('from a timer', { cause: new Error('why') }); }, 1),
  'uncaught in a tick': () => process.nextTick(() => { throw Object.assign(new Error('from a tick'), { code: 'E_TICK', extra: { deep: [1, 2] } }); }),
  'uncaught after a read': async () => { const fs = await import('node:fs'); fs.readFile('/nowhere', (error) => { throw error; }); },
  'uncaught, not an error': () => setImmediate(() => { throw { plain: 'object' }; }),
  'uncaught null': () => queueMicrotask(() => { throw null; }),
  'uncaught by an emitter': async () => { const { EventEmitter } = await import('node:events'); new EventEmitter().emit('error', new Error('nobody listens')); },
  'syntax': () => (0, eval)('let x = ;'),
  'assertion': async () => (await import('node:assert')).deepStrictEqual({ a: 1 }, { a: 2 }),
  'aggregate': () => setTimeout(() => { throw new AggregateError([new Error('one'), new RangeError('two')], 'both'); }),
  'caught': () => { process.on('uncaughtException', (error, origin) => console.log('caught', error.message, origin)); setTimeout(() => { throw new Error('first'); }, 1); setTimeout(() => { throw new Error('second'); }, 5); Promise.reject(new Error('third')); },
  'monitored': () => { process.on('uncaughtExceptionMonitor', (error, origin) => console.log('monitor', error.message, origin)); setTimeout(() => { throw new Error('seen'); }, 1); },
  'capture callback': () => { process.setUncaughtExceptionCaptureCallback((error) => console.log('captured', error.message, process.hasUncaughtExceptionCaptureCallback())); setTimeout(() => { throw new Error('taken'); }, 1); },
  'throws in a handler': () => { process.on('uncaughtException', () => { throw new Error('in the handler'); }); setTimeout(() => { throw new Error('first'); }); },
  'exits in a handler': () => { process.on('uncaughtException', () => process.exit(21)); setTimeout(() => { throw new Error('first'); }); },
  'throws at exit': () => { process.on('exit', () => { throw new Error('at exit'); }); },
  'throws at exit, after process.exit': () => { process.on('exit', () => { throw new Error('at exit'); }); process.exit(6); },
  'throws when captured': () => { process.setUncaughtExceptionCaptureCallback(() => { throw new Error('in the callback'); }); setTimeout(() => { throw new Error('first'); }); },
  'throws in a handler, with a code': () => { process.exitCode = 22; process.on('uncaughtExceptionMonitor', () => { throw new Error('in the monitor'); }); setTimeout(() => { throw new Error('first'); }); },
  'exits at exit': () => { process.on('exit', (code) => { console.log('exit', code); if (code !== 5) process.exit(5); }); },
  'rejected': () => { Promise.reject(new Error('nobody waits')); setTimeout(() => console.log('later'), 5); },
  'rejected, not an error': () => { Promise.reject({ plain: 1 }); Promise.reject(undefined); },
  'rejected, handled late': () => {
    process.on('unhandledRejection', (reason) => console.log('unhandled', reason.message)).on('rejectionHandled', (promise) => console.log('handled', promise instanceof Promise));
    const promise = Promise.reject(new Error('late'));
    setTimeout(() => promise.catch((error) => console.log('now', error.message)), 5);
  },
  'resolved twice': () => { process.on('multipleResolves', (type) => console.log(type)); new Promise((resolve, reject) => { resolve(1); resolve(2); reject(new Error('x')); }); },
  'rejected in async': async () => { const step = async () => { await later(1); throw new Error('deep'); }; const outer = async () => { await step(); }; await outer(); },
  'exit code set': () => { process.exitCode = 7; process.on('exit', (code) => console.log(code, process.exitCode)); },
  'exit code at exit': () => { process.on('exit', () => { process.exitCode = 8; }); },
  'exit code wrong': () => { try { process.exitCode = 'nine'; } catch (error) { console.log(error.code, error.message); } try { process.exit({}); } catch (error) { console.log(error.code, error.message); } process.exit('10'); },
  'exit in then': () => later(1).then(() => { process.exit(11); }),
  'exit in beforeExit': () => { process.on('beforeExit', (code) => { console.log('before', code); process.exit(12); }); },
  'beforeExit arms again': () => { let left = 3; process.on('beforeExit', () => { if (left-- > 0) setTimeout(() => console.log('again', left), 1); }); process.exitCode = 13; },
  'beforeExit with a promise only': () => { process.once('beforeExit', async () => { await null; console.log('one turn'); await null; }); },
  'only unref': () => { setTimeout(() => console.log('never'), 60_000).unref(); setInterval(() => console.log('never'), 60_000).unref(); },
  'unref, then ref': () => { const timer = setTimeout(() => console.log('at last'), 5).unref(); timer.ref(); },
  'pending for ever': () => { new Promise(() => {}).then(() => console.log('never')); process.on('exit', (code) => console.log('exit', code)); },
  'awaits for ever': async () => { process.on('exit', (code) => console.log('exit', code)); await new Promise(() => {}); },
  'warning': () => { process.emitWarning('careful', { code: 'W1', detail: 'more', type: 'Careful' }); process.on('warning', (warning) => console.log(warning.name, warning.code)); },
  'deprecated': async () => { const { deprecate } = await import('node:util'); deprecate(() => {}, 'old', 'DEP9')(); new Buffer(1); },
  'listeners leak': async () => { const { EventEmitter } = await import('node:events'); const emitter = new EventEmitter(); for (let i = 0; i < 12; i++) emitter.on('x', () => {}); },
  'abort signal': async () => { const timeout = AbortSignal.timeout(5), alive = setTimeout(() => {}, 60_000); await new Promise((resolve) => timeout.addEventListener('abort', resolve)); clearTimeout(alive); console.log(timeout.reason.name, timeout.reason.code, timeout.reason.message); timeout.throwIfAborted(); },
  'signal listener stays quiet': () => { process.on('SIGUSR2', () => {}); console.log(process.listenerCount('SIGUSR2'), process.eventNames()); process.exit(14); },
  'emitted by hand': () => { process.on('exit', (code) => console.log('exit', code)); process.emit('exit', 3); process.emit('beforeExit', 4); console.log(process.emit('nothing'), process.emit('message', 'x')); },
};
const list = Object.keys(endings);
if (process.argv[2]) await endings[process.argv[2]](); else console.log(list.join('\n'));
console.log('main is done');
