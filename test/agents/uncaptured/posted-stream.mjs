import fs from 'node:fs';
console.log('before');
const { port1, port2 } = new MessageChannel();
port2.onmessage = async ({ data }) => {
  for await (const piece of data) fs.writeFileSync('touched', piece);
  port2.close();
};
const stream = new ReadableStream({ start: (controller) => { controller.enqueue('piece'); controller.close(); } });
port1.postMessage(stream, [stream]);
