// Does what a replay must never do, and says how it went; what it did can be seen from outside.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const { SERVER_TCP_PORT: port, SERVER_SOCKET: socketPath, VICTIM, KEY, PLACES } = process.env;
const how = async (name, act) => console.log(name, await Promise.resolve().then(act).then((result) => result ?? 'done', ({ code, message }) => code ?? message));
const connect = async (options) => { const socket = net.connect(options); await once(socket, 'connect'); socket.destroy(); return 'connected'; };

await how('tcp', () => connect({ port, host: '127.0.0.1' }));
await how('unix', () => connect({ path: socketPath }));
for (const place of PLACES.split(':')) await how(`write ${path.basename(place)}`, () => fs.writeFileSync(path.join(place, 'broken-out'), 'here'));
await how('delete', () => fs.rmSync('keep-me'));
await how('key', () => fs.readFileSync(KEY, 'utf8').length);
await how('kill', () => { process.kill(Number(VICTIM), 'SIGKILL'); });
await how('child', () => execFileSync('/bin/sh', ['-c', 'echo from a child >child-was-here; echo done']).toString().trim());
await how('processes', () => fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length < 10);
await how('interfaces', () => Object.values(os.networkInterfaces()).flat().length);
