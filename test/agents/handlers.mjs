// Handlers for signals that never come, for errors and rejections that do, and for warnings.
process.on('SIGINT', () => console.log('never'));
process.once('SIGTERM', () => console.log('never'));
process.on('unhandledRejection', (error) => console.log('unhandled', error.message));
process.on('uncaughtException', (error, origin) => console.log('uncaught', error.message, origin));
process.on('warning', ({ name, message }) => console.log('warning', name, message));
Promise.reject(new Error('rejected at once'));
setTimeout(() => { throw new Error('thrown in a timer'); }, 2);
setTimeout(() => Promise.reject(new Error('rejected in a timer')), 4);
fetch(`${process.env.SERVER_URL}/json`).then((response) => response.text()).then(() => { throw new Error('thrown after a fetch'); });
await new Promise((resolve) => setTimeout(resolve, 60));
process.emitWarning('a warning');
console.log(process.listenerCount('SIGINT'), process.eventNames());
await new Promise(setImmediate);
process.removeAllListeners('SIGINT').removeAllListeners('SIGTERM');
