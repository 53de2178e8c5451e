process.once('SIGUSR2', (name) => { console.log(name); clearInterval(timer); });
const timer = setInterval(() => {}, 1000);
process.kill(process.pid, 'SIGUSR2');
