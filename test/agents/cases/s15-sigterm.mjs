// Case S15 (d): a request to end is answered with one more question, and a word.
const ask = async () => (await (await fetch(`${process.env.SERVER_URL}/json`)).json()).id;
process.on('SIGTERM', async (signal) => {
  console.log('bye', signal, await ask());
  process.exit(0);
});
console.log('answer', await ask());
console.log('ready');
setInterval(() => {}, 60_000);
