import { randomUUID } from 'node:crypto';
const seen = { argv: process.argv.slice(2), execArgv: process.execArgv, options: process.env.NODE_OPTIONS ?? null, env: Object.keys(process.env).filter((name) => !/^(_|PWD|SHLVL|OLDPWD)$/.test(name)).sort(), listeners: process.eventNames().length };
const id = randomUUID();
if (process.send) process.send(seen);
else console.log(JSON.stringify(seen));
if (id.length !== 36) process.exitCode = 1;
