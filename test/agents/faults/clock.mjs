// Measures by the wall clock and by the steady one while the former is set; the test is told when.
let wall = Date.now();
let steady = performance.now();
const zero = steady;
for (let round = 0; round < 3; round++) {
  const told = new Promise((resolve) => process.once('SIGUSR2', resolve));
  console.log(`waiting ${round}`);
  const hold = setInterval(() => {}, 60_000);
  await told;
  clearInterval(hold);
  await new Promise((resolve) => setTimeout(resolve, 20));
  console.log(`wall ${Math.round((Date.now() - wall) / 1000)} s, steady ${performance.now() >= steady && process.uptime() > 0}, ${new Date().toISOString()}`);
  [wall, steady] = [Date.now(), performance.now()];
}
console.log(performance.now() - zero > 0);
