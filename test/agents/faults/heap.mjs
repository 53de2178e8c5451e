// Reads and prints for a while, then eats all memory that it may have.
for (let i = 0; i < 20; i++) {
  await new Promise((resolve) => setTimeout(resolve, 1));
  console.log(i, Math.random(), Date.now());
}
const eaten = [];
for (;;) eaten.push({ at: eaten.length });
