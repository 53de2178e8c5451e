// Waits for a signal, idle or in a loop that never turns; nothing here handles one.
console.log(process.listenerCount('SIGTERM'), process.listenerCount('SIGINT'), Date.now(), Math.random());
await new Promise((resolve) => setTimeout(resolve, 5));
console.log('waiting');
if (process.argv[2] === 'busy') for (;;);
setInterval(() => {}, 60_000);
