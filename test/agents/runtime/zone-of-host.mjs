// The zone that the machine is set to shows wherever none is named; and the environment names it nowhere.
import { env } from 'node:process';
import { inspect } from 'node:util';

const day = new Date(Date.UTC(2026, 6, 1, 12));
const show = () => console.log(env.TZ, 'TZ' in env, Object.keys(env).includes('TZ'), day.getHours(), day.getTimezoneOffset(), String(day), Intl.DateTimeFormat().resolvedOptions().timeZone, day.toLocaleString('en-GB'));
show();
for (const zone of ['Asia/Tokyo', 'CET-1CEST', 'America/New_York', '']) {
  process.env.TZ = zone;
  show();
  delete env.TZ;
  show();
}
console.log(env === process.env, Object.getOwnPropertyDescriptor(env, 'TZ'), JSON.stringify(env).includes('"TZ"'), inspect(env) === inspect({ ...env }), inspect(env).includes('TZ:'));
env.NUMBER = 5;
console.log(env.NUMBER === '5', Object.getOwnPropertyDescriptor(env, 'NUMBER'), delete env.NUMBER, env.NUMBER, inspect({ env }, { depth: 0 }), Reflect.ownKeys(env).every((name) => typeof name === 'string'));
for (const wrong of [() => (env[Symbol('name')] = 1), () => Object.defineProperty(env, 'ACCESSOR', { get: () => '' })]) {
  try {
    wrong();
  } catch (error) {
    console.log(error.message);
  }
}
