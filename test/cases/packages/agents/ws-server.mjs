// A server of the `ws` package, in the shape of a realtime voice API. It is the world of the agents: never recorded.
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ host: '127.0.0.1', port: Number(process.argv[2]), perMessageDeflate: { threshold: 100 }, handleProtocols: (protocols) => [...protocols][0] ?? false }, () => console.log(`port ${server.address().port}`));
server.on('connection', (socket, request) => {
  console.log('hit');
  socket.on('error', () => {});
  socket.send(JSON.stringify({ type: 'session.created', path: request.url, voice: 'alloy' }));
  socket.on('ping', (data) => socket.send(`pinged ${data}`));
  socket.on('message', (data, isBinary) => {
    if (isBinary) {
      // Audio comes back as it is, in two pieces of one message.
      socket.send(data.subarray(0, data.length >> 1), { fin: false, binary: true, compress: false });
      socket.send(data.subarray(data.length >> 1), { fin: true, binary: true, compress: false });
      return;
    }
    const { type, ...rest } = JSON.parse(data);
    if (type === 'response.create') {
      for (const delta of ['The answer ', 'is ', '42.']) socket.send(JSON.stringify({ type: 'response.output_text.delta', delta }));
      socket.send(JSON.stringify({ type: 'response.done', text: 'The answer is 42. '.repeat(40) }));
    } else if (type === 'ping me') socket.ping('are you there');
    else if (type === 'hang up') socket.close(4001, 'session expired é');
    else if (type === 'die') socket.terminate();
    else socket.send(JSON.stringify({ type: 'echo', ...rest }));
  });
});
