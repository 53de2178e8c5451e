import fs from 'node:fs';
console.log('before');
const stream = new ReadableStream({ start: (controller) => { controller.enqueue('piece'); controller.close(); } });
try {
  for await (const piece of structuredClone(stream, { transfer: [stream] })) fs.writeFileSync('touched', piece);
} catch {
  console.log('not reached');
}
