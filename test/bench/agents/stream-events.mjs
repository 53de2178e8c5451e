// One streamed LLM answer: which pieces it came in.
import { createHash } from 'node:crypto';

const { BENCH_URL, BENCH_KEY } = process.env;
const pieces = [];
let firstMs = null;
const began = performance.now();
let text = '';
try {
  const response = await fetch(`${BENCH_URL}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${BENCH_KEY}` },
    body: JSON.stringify({ model: 'gpt-5.4-mini', stream: true, messages: [{ role: 'user', content: 'question-0' }] }),
  });
  const decoder = new TextDecoder();
  for await (const piece of response.body) {
    firstMs ??= performance.now() - began;
    pieces.push(piece.length);
    text += decoder.decode(piece, { stream: true });
  }
} catch (error) {
  console.log(`first failure: ${error.cause ?? error}`);
}
console.log(`pieces ${pieces.length} ${createHash('sha256').update(`${pieces} ${text}`).digest('hex').slice(0, 16)}`);
console.log(JSON.stringify({ pieces, firstMs, lastMs: performance.now() - began }));
