// Twelve calls at once with random latency; each answer prints when it comes, and starts a second call that says so.
const server = process.env.SERVER_URL;
const order = [];
const results = await Promise.all(Array.from({ length: 12 }, async (_, i) => {
  const { n } = await (await fetch(`${server}/json?d=60&i=${i}`)).json();
  order.push(i);
  console.log('done', i, n);
  const { body } = await (await fetch(`${server}/json?d=20`, { method: 'POST', body: order.join() })).json();
  return body;
}));
console.log(order, results);
