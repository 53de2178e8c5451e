// process.exit() in the tick of the last await: nothing that was printed may be lost.
const response = await fetch(`${process.env.SERVER_URL}/json?d=10`);
const { id } = await response.json();
console.log('last line', id, Date.now(), crypto.randomUUID());
process.exit(3);
