// Reads a stream and lets go of every chunk; says by how much the process grew on the way.
const MB = 1024 * 1024;
const response = await fetch(`${process.env.BODY_URL}/${process.env.BYTES}`);
let bytes = 0;
let first = 0;
let most = 0;
for await (const chunk of response.body) {
  bytes += chunk.length;
  const { rss } = process.memoryUsage();
  if (bytes < 8 * MB) first = rss;
  most = Math.max(most, rss);
}
console.log(`${bytes} bytes`);
console.error(`grew by ${Math.round((most - first) / MB)} MB`);
