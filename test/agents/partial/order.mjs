// Works through one order: a file, a request, a wait, the clock and chance, and variables worth a look.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

let lastPrice = null;

async function priceOf(item) {
  const query = { item, at: Date.now() };
  const response = await fetch(`${process.env.SERVER_URL}/json?d=1&item=${query.item}`);
  const { method } = await response.json();
  lastPrice = { item, method };
  return Math.floor(Math.random() * 100);
}

async function settle(order) {
  const { length } = readFileSync(process.argv[1], 'utf8');
  console.log('settling', order.id, length);
  const prices = [];
  for (const item of order.items) {
    prices.push(await priceOf(item));
    console.log(item, prices.at(-1));
  }
  await sleep(25);
  return { order, total: prices.reduce((sum, price) => sum + price, 0), at: new Date().toISOString() };
}

const settled = await settle({ id: 'O-17', items: ['lamp', 'chair'] });
console.log(JSON.stringify(settled), lastPrice.item);
