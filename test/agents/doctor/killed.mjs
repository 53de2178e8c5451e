// Its process is gone before it can end.
console.log('begun');
process.kill(process.pid, 'SIGKILL');
setTimeout(() => {}, 60_000);
