import { once } from 'node:events';
import { createServer } from 'node:net';

console.log('before');
try {
  const server = createServer().listen('touched');
  await once(server, 'listening');
  server.close();
} catch (error) {
  console.log(error.message);
}
