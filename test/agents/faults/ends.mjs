// Ends in the way that is named, after some lines.
const WAYS = {
  abort: () => process.abort(),
  'kill -9': () => process.kill(process.pid, 'SIGKILL'),
  'kill itself': () => process.kill(process.pid, 'SIGTERM'),
  'kill again': () => {
    process.once('SIGINT', () => {
      console.log('cleaned up');
      process.kill(process.pid, 'SIGINT');
    });
    process.kill(process.pid, 'SIGINT');
  },
  reallyExit: () => process.reallyExit(5),
  'throw in exit': () => process.on('exit', () => { throw new Error('thrown in exit'); }),
  'exit in exit': () => process.on('exit', () => process.exit(8)),
  'throw a string': () => { throw 'just a string'; },
  'throw null': () => { throw null; },
  'reject with nothing': () => Promise.reject(undefined),
  'throw in a handler of errors': () => {
    process.on('uncaughtException', () => { throw new Error('second'); });
    throw new Error('first');
  },
  'overflow': () => {
    const fall = () => fall() + 1;
    fall();
  },
  'frozen error': () => { throw Object.freeze(new Error('cold')); },
};
for (let i = 0; i < 3; i++) {
  await new Promise((resolve) => setTimeout(resolve, 1));
  console.log(i, Math.random(), Date.now());
}
const hold = setTimeout(() => {}, process.env.HOLD ? 60_000 : 1);
WAYS[process.argv[2]]();
