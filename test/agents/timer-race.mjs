// Timers against the network: who wins is decided by the moment.
const server = process.env.SERVER_URL;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms, `timer ${ms}`));
for (let i = 0; i < 12; i++) {
  const request = fetch(`${server}/json?d=30&i=${i}`).then((response) => response.json()).then(() => `network ${i}`);
  console.log(await Promise.race([request, wait(8 + i)]), await Promise.any([wait(3), request]));
  await request;
}
let ticks = 0;
const interval = setInterval(() => ticks++, 3);
const { id } = await (await fetch(`${server}/json?d=80`)).json();
clearInterval(interval);
console.log(id, ticks);
