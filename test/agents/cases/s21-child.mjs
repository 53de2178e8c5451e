import { appendFileSync } from 'node:fs';
appendFileSync('started', 'x\n');
process.once('message', ({ done }) => process.disconnect(console.log(done)));
process.send({ id: crypto.randomUUID(), options: process.env.NODE_OPTIONS ?? null });
