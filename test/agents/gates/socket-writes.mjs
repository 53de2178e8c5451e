// One way to write to a socket, by the name that the runtime has for it; all of them without a name.
import { once } from 'node:events';
import net from 'node:net';
const ways = {
  writeBuffer: (socket) => socket.write(Buffer.from('bytes')),
  writev: (socket) => { socket.cork(); socket.write('one '); socket.write('two'); process.nextTick(() => socket.uncork()); },
  writeAsciiString: (socket) => socket.write('ascii', 'ascii'),
  writeLatin1String: (socket) => socket.write('l\u00e4tin', 'latin1'),
  writeUtf8String: (socket) => socket.write('\u00fctf-8', 'utf8'),
  writeUcs2String: (socket) => socket.write('wide', 'utf16le'),
};
for (const name of process.argv[2] ? [process.argv[2]] : Object.keys(ways)) {
  const socket = net.connect(process.env.SERVER_TCP_PORT, '127.0.0.1');
  socket.on('error', ({ code }) => console.log(code));
  await once(socket, 'connect');
  ways[name](socket);
  console.log(name, await Promise.race([once(socket, 'data'), once(socket, 'close')]).then(String));
  socket.destroy();
}
