// Asynchronous contexts and stacks inside of a server; what a handler throws, and when its ticks and promise jobs run.
import { AsyncLocalStorage } from 'node:async_hooks';
import http from 'node:http';
import net from 'node:net';

const context = new AsyncLocalStorage();
const stackOf = (error) => error.stack.split('\n').slice(1).map((line) => line.trim().replace(/\(?file:.*\/|:\d+:\d+\)?$/g, '')).join(' < ');
context.run('listening', () => {
  const server = http.createServer((request, response) => {
    const order = [`begin ${context.getStore()}`];
    const note = (what) => order.push(what);
    process.nextTick(note, 'tick');
    queueMicrotask(() => note('job'));
    request.on('data', (chunk) => {
      note(`data ${chunk.length} ${context.getStore()}`);
      process.nextTick(note, 'tick of data');
      Promise.resolve().then(() => note('job of data'));
    });
    request.on('end', () => {
      note(`end ${context.getStore()}`);
      if (request.url === '/stack') order.push(stackOf(new Error('in end')));
      context.run(`request ${request.url}`, () => setImmediate(() => {
        note(context.getStore());
        response.end(order.join('|'));
        if (request.url === '/quit') server.close(() => console.log('closed', context.getStore()));
      }));
    });
    if (request.url === '/stack') order.push(stackOf(new Error('in a handler')));
    if (request.url === '/throw') {
      response.end('before it threw');
      throw new Error('thrown by a handler');
    }
    if (request.url === '/reject') {
      response.end('before it was rejected');
      Promise.reject(new Error('rejected by a handler'));
    }
  });
  server.on('connection', () => console.log('connection', context.getStore(), stackOf(new Error('connected'))));
  server.listen(0, '127.0.0.1', () => console.log(`listening on 127.0.0.1:${server.address().port}`, context.getStore()));
  const plain = net.createServer((socket) => {
    console.log('plain', context.getStore());
    socket.once('data', (data) => socket.end(`${data} ${context.getStore()}`, () => plain.close()));
  });
  plain.listen(0, '127.0.0.1', () => {
    const client = context.run('client', () => net.connect(plain.address().port));
    client.write('asked');
    client.on('data', (data) => console.log('answered', data.toString(), context.getStore()));
  });
});
process.on('uncaughtException', (error, origin) => console.log(origin, error.message, stackOf(error)));
