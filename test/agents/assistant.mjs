// A small assistant: reads its rules, asks a model, looks things up, decides. Tests edit copies of it.
import { readFile } from 'node:fs/promises';
const server = process.env.SERVER_URL;
const headers = { 'content-type': 'application/json', 'x-client': 'assistant/1.0' };
const post = (body) => fetch(`${server}/json?chat`, { method: 'POST', headers, body: JSON.stringify(body) });
const rules = await readFile('rules.txt', 'utf8');
const messages = [{ role: 'system', content: rules }, { role: 'user', content: 'Plan my trip to Lisbon in May.' }];
const plan = await (await post({ model: 'small', temperature: 0, messages })).json();
console.log('plan', plan.id);
const weather = await (await fetch(`${server}/json?weather=${plan.id}`)).json();
const hotel = await (await fetch(`${server}/json?hotel=${plan.id}`)).json();
console.log('found', weather.id, hotel.id);
await new Promise((resolve) => setTimeout(resolve, 20));
messages.push({ role: 'assistant', content: plan.id }, { role: 'user', content: `Weather ${weather.id}, hotel ${hotel.id}. Decide.` });
const decision = await (await post({ model: 'small', temperature: 0, messages })).json();
console.log('decided', decision.id, Math.random());
