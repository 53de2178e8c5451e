import { writeFileSync } from 'node:fs';
process.once('message', (_, socket) => {
  writeFileSync('touched', '');
  socket.destroy();
  process.send('taken');
  process.disconnect();
});
