// Streams on descriptors that are none of the standard ones: a named pipe here; what a parent hands over is the same.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';

for (const fd of [987, 'x', -1, 2.5, fs.openSync('/dev/null')]) {
  try {
    new net.Socket({ fd }).destroy();
  } catch (error) {
    console.log(error.code, error.message.replace(/\d{2,}/g, 'NUMBER'));
  }
}
execFileSync('mkfifo', ['named.pipe']);
const open = () => fs.openSync('named.pipe', 'r+');

class Mine extends net.Socket {
  mine = true;
}
function Old(options) {
  net.Socket.call(this, options);
}
Object.setPrototypeOf(Old.prototype, net.Socket.prototype);

function exchange(fd, make, text) {
  return new Promise((resolve) => {
    const socket = make({ fd });
    console.log(socket instanceof net.Socket, socket.constructor.name, socket.mine, socket._handle.constructor.name, socket.pending, socket.readyState, socket.remoteAddress, socket.localAddress);
    socket.on('data', (data) => {
      console.log(String(data), socket.bytesRead, socket.bytesWritten);
      socket.destroy();
    });
    socket.on('close', () => resolve());
    socket.write(text, 'latin1', () => console.log('written'));
  });
}
const fd = open();
await exchange(fd, (options) => new net.Socket({ ...options, readable: true, writable: true }), 'höllo');
try {
  fs.closeSync(fd);
} catch (error) {
  console.log(error.code);
}
await exchange(open(), (options) => net.Socket(options), 'without new');
await exchange(open(), (options) => new Mine(options), 'of a class');
await exchange(open(), (options) => new Old(options), 'of a class of the old kind');
const buffer = Buffer.alloc(16);
await new Promise((resolve) => {
  const socket = new net.Socket({ fd: open(), onread: { buffer, callback: (length, bytes) => {
    console.log(length, bytes.toString('latin1', 0, length));
    socket.destroy();
    resolve();
  } } });
  socket.write('into a buffer');
});
console.log(net.Stream === net.Socket, net.Socket.prototype.constructor === net.Socket, net.Socket.length, net.Socket.name);
