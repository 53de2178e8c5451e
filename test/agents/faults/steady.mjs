// Works for a while on its own, a line of SIZE bytes each turn; at WAIT_AT it says so and waits for SIGUSR2.
const { LINES = '100', SIZE = '100', WAIT_AT } = process.env;
for (let i = 0; i < Number(LINES); i++) {
  if (String(i) === WAIT_AT) {
    const hold = setInterval(() => {}, 60_000);
    const told = new Promise((resolve) => process.once('SIGUSR2', resolve));
    console.log('waiting');
    await told;
    clearInterval(hold);
  }
  await new Promise((resolve) => setTimeout(resolve, i % 2));
  console.log(`${i} ${Date.now() > 0} ${Math.random() < 1} ${'x'.repeat(Number(SIZE))}`);
}
console.log('done');
process.exitCode = 6;
