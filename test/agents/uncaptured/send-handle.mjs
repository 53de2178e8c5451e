// A connection handed over to a child process.
import { fork } from 'node:child_process';
import { connect } from 'node:net';

const child = fork(new URL('send-handle-child.mjs', import.meta.url), { execArgv: [] });
const socket = connect(new URL(process.env.SERVER_URL).port, '127.0.0.1');
await new Promise((resolve) => socket.once('connect', resolve));
console.log('before');
child.once('message', (message) => console.log(message));
child.send('take it', socket);
