import { appendFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
appendFileSync('started', 'x\n');
process.on('message', (message) => {
  if (message?.large) process.send({ length: message.large.length });
  else process.send({ ...(typeof message === 'object' ? message : { message }), id: randomUUID() });
});
process.on('disconnect', () => {
  console.log('the parent has gone');
  process.exitCode = 6;
});
process.send({ argv: process.argv.slice(2), execArgv: process.execArgv, options: process.env.NODE_OPTIONS, control: Object.keys(process.env).filter((name) => name.startsWith('REPLAY_HARNESS')) });
