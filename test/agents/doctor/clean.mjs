// Reads the clock, draws, waits, and asks a pinned model: nothing that a replay does not give again.
const started = Date.now();
await new Promise((resolve) => setTimeout(resolve, 5));
const response = await fetch(`${process.env.MODEL_URL}/v1/chat/completions`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-4o-2024-08-06', messages: [{ role: 'user', content: 'How are you?' }] }),
});
const { choices } = await response.json();
console.log(choices[0].message.content, Date.now() - started < 60_000, Math.random() < 1);
