// Goes on after the exit event, as packages do that wrap process.emit to be the last (signal-exit).
const emit = process.emit;
process.emit = function (event, ...args) {
  const emitted = Reflect.apply(emit, this, [event, ...args]);
  if (event === 'exit') {
    console.log('after the last listener', Date.now(), Math.random());
    Promise.resolve().then(() => console.log('in a promise job', performance.now() > 0));
    process.exitCode = 9;
  }
  return emitted;
};
process.on('exit', (code) => console.log('a listener', code));
console.log('work');
