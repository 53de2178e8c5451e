import net from 'node:net';
import { pause, talk, together } from './client.mjs';

export async function visit(place) {
  const lines = await together(
    ...[1, 2, 3, 4, 5].map((number) => () => talk(place, [`line ${number}\n`, 'in two ', `pieces\nwho\n`], { end: true })),
    () => talk(place, ['reset\n']).then((line) => line.replace(/ E\w+$/, '')),
    () => talk(place, ['left'], { destroyAfter: 1 }).then(() => 'left'),
    () => talk(place, [], { end: true }),
    () => talk(place, [`${'long '.repeat(20_000)}\n`, 'done\n'], { end: true }).then((line) => line.length),
  );
  // More than it takes.
  const idle = await Promise.all(Array.from({ length: 40 }, () => new Promise((resolve) => {
    const socket = net.connect(place);
    socket.on('error', () => {}).on('close', () => resolve(socket)).once('data', () => resolve(socket));
  })));
  lines.push(`${idle.filter((socket) => !socket.destroyed).length} taken`);
  for (const socket of idle) socket.destroy();
  await pause();
  for (let attempt = 0; attempt < 200; attempt++) {
    const line = await talk(place, ['quit\n'], { end: true });
    if (!line.includes('goodbye')) continue;
    lines.push(line);
    break;
  }
  return lines;
}
