import net from 'node:net';

console.log('before');
net.createServer().on('error', () => {}).listen({ fd: Number(process.env.LISTEN_FD ?? 999) });
