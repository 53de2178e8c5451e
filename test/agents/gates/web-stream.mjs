// Node 20 reads it by the handle's own stream.
import { open } from 'node:fs/promises';
const handle = await open('notes.txt');
for await (const chunk of handle.readableWebStream()) console.log(Buffer.from(chunk).toString());
await handle.close();
