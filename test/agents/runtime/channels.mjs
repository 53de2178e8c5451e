// Diagnostics channels: what clients publish of a request, and a program's own, with stores.
import channels from 'node:diagnostics_channel';
import http from 'node:http';
import { AsyncLocalStorage } from 'node:async_hooks';
const told = [];
for (const name of ['undici:request:create', 'undici:client:connected', 'undici:request:headers', 'undici:request:trailers', 'http.client.request.start', 'http.client.response.finish', 'net.client.socket']) channels.subscribe(name, (message, channel) => told.push(`${channel} ${Object.keys(message).sort()}`));
await (await fetch(`${process.env.SERVER_URL}/json`)).text();
await new Promise((resolve) => http.get(`${process.env.SERVER_URL}/json`, (answer) => answer.resume().on('end', resolve)));
console.log(told);
const own = channels.channel('own');
const store = new AsyncLocalStorage();
own.bindStore?.(store, ({ id }) => id);
own.subscribe(({ id }) => console.log('own', id));
own.publish({ id: 1 });
console.log(own.runStores?.({ id: 2 }, () => store.getStore()), own.hasSubscribers, channels.hasSubscribers('none'));
const traced = channels.tracingChannel?.('work');
traced?.subscribe({ start: () => console.log('start'), end: () => console.log('end'), asyncStart: () => console.log('later'), asyncEnd: () => console.log('ended later'), error: ({ error }) => console.log(error.message) });
console.log(await traced?.tracePromise(async () => new Promise((resolve) => setTimeout(resolve, 2, Math.random())), {}));
await traced?.tracePromise(async () => { throw new Error('failed'); }, {}).catch(() => {});
