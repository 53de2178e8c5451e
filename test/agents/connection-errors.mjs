// Refused connections, resets in the middle of a body, by fetch and by node:http; errors with all their fields.
import http from 'node:http';
import net from 'node:net';
const server = process.env.SERVER_URL;
const show = (error) => console.log(error.name, error.code, error.message, error.cause && [error.cause.name, error.cause.code, error.cause.message, error.cause.errno, error.cause.syscall, error.cause.port]);
await fetch('http://127.0.0.1:47/').catch(show);
await fetch('http://localhost:47/').catch((error) => console.log(error.cause.name, error.cause.errors?.map(({ message }) => message)));
const broken = await fetch(`${server}/reset`);
console.log(broken.status, broken.headers.get('content-length'));
await broken.text().catch(show);
const reader = (await fetch(`${server}/reset`)).body.getReader();
console.log((await reader.read()).value.length);
await reader.read().catch(show);
await new Promise((resolve) => http.get('http://127.0.0.1:47/').on('error', (error) => resolve(console.log(error))));
await new Promise((resolve) => http.get(`${server}/reset`, (response) => response.on('data', (chunk) => console.log(chunk.length)).on('error', (error) => console.log(error.code, error.message)).on('close', () => resolve(console.log(response.complete, response.aborted)))).on('error', (error) => console.log('request', error.code)));
await new Promise((resolve) => net.connect(47, '127.0.0.1').on('error', (error) => console.log(error.code, error.address)).on('close', (failed) => resolve(console.log(failed))));
await fetch('ftp://example.test/').catch(show);
console.log((await (await fetch(`${server}/json`)).json()).id);
