// A chat that sends a large image again with every turn, a large download, and an answer nested too deep to be written again.
import { createHash } from 'node:crypto';
const { LARGE_URL: server, TURNS, IMAGE_BYTES, DOWNLOAD_BYTES } = process.env;
const image = Buffer.alloc(Number(IMAGE_BYTES), 'an image, more or less ').toString('base64');
const messages = [{ role: 'user', content: [{ type: 'text', text: 'what is this?' }, { type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } }] }];
for (let turn = 0; turn < Number(TURNS); turn++) {
  const response = await fetch(`${server}/v1/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ model: 'large', messages }) });
  const { choices } = await response.json();
  console.log(turn, choices[0].message.content);
  messages.push(choices[0].message, { role: 'user', content: `and now, after ${turn}?` });
}
const hash = createHash('sha256');
let bytes = 0;
for await (const chunk of (await fetch(`${server}/download/${DOWNLOAD_BYTES}`)).body) {
  hash.update(chunk);
  bytes += chunk.length;
}
console.log(bytes, hash.digest('hex'));
let depth = 0;
for (let level = await (await fetch(`${server}/deep`)).json(); level.length > 0; level = level[0]) depth++;
console.log('depth', depth);
