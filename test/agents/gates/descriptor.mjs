// A stream on a descriptor that is none of the standard ones.
import fs from 'node:fs';
import net from 'node:net';
const socket = new net.Socket({ fd: fs.openSync('named.pipe', 'r+') });
socket.on('data', (data) => {
  console.log(String(data));
  socket.destroy();
});
socket.write('through the pipe');
