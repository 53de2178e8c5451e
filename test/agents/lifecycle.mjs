// beforeExit that starts work again, twice; exit that prints; an exit code set at the very end.
let rounds = 0;
process.on('beforeExit', async () => {
  if (++rounds > 3) return;
  console.log('round', rounds);
  if (rounds === 1) setTimeout(() => console.log('timer'), 5);
  if (rounds === 2) console.log((await (await fetch(`${process.env.SERVER_URL}/json`)).json()).id);
  if (rounds === 3) setImmediate(() => console.log('immediate'));
});
process.once('exit', (code) => {
  console.log('exit', code, rounds, Math.random(), Date.now());
  process.exitCode = 9;
});
process.on('exit', () => setTimeout(() => console.log('never'), 0));
