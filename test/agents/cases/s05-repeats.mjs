// Case S05: the same request many times, and look-alike model calls.
const server = process.env.SERVER_URL;
for (let i = 0; i < 3; i++) console.log('job', (await (await fetch(`${server}/job?id=1`)).json()).status);
const complete = async (model, messages) => {
  const { choices: [{ message }] } = await (await fetch(`${server}/v1/chat/completions`, { method: 'POST', body: JSON.stringify({ model, messages }) })).json();
  return message;
};
const user = { role: 'user', content: 'What is the weather?' };
const messages = [user];
let calls = 0;
for (let message; !message?.content; ) {
  message = await complete('tool-user', messages);
  console.log('turn', ++calls, message.tool_calls?.[0].id ?? message.content);
  messages.push(message);
  for (const { id } of message.tool_calls ?? []) messages.push({ role: 'tool', tool_call_id: id, content: 'sunny' });
}
const look = ['chat', 'title', 'suggestions'].map(async (kind) => {
  const { content } = await complete(`model-${kind}`, [{ role: 'system', content: `You write the ${kind}.` }, user]);
  console.log('own', kind, content.startsWith(`model-${kind}, You write the ${kind}.: `), content);
});
await Promise.all(look);
