// Name resolution: lookup by callback and promise, localhost in a URL, a name that does not exist.
import dns from 'node:dns';
import { lookup, resolve4 } from 'node:dns/promises';
import net from 'node:net';
console.log(await lookup('localhost'), await lookup('localhost', { all: true }), await lookup('127.0.0.1'));
await new Promise((resolve) => dns.lookup('localhost', 4, (...result) => resolve(console.log(result))));
const url = process.env.SERVER_URL.replace('127.0.0.1', 'localhost');
console.log((await (await fetch(`${url}/json`)).json()).id);
await lookup('no-such-host.invalid').catch((error) => console.log(error.name, error.code, error.syscall, error.hostname, error.message));
await fetch('http://no-such-host.invalid/').catch((error) => console.log(error.message, error.cause.code, error.cause.message));
await resolve4('no-such-host.invalid').catch((error) => console.log(error.code, error.syscall));
console.log(Array.isArray(dns.getServers()), dns.getDefaultResultOrder());
await new Promise((resolve) => dns.lookupService('127.0.0.1', 22, (error, ...found) => resolve(console.log(error?.code, found))));
const socket = net.connect({ host: 'localhost', port: Number(new URL(url).port), autoSelectFamily: true });
socket.on('lookup', (error, address, family, host) => console.log(error, address, family, host)).on('connect', () => socket.end()).on('close', (failed) => console.log('closed', failed));
