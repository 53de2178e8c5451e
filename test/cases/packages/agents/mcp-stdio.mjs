// The Model Context Protocol over a child's pipes, by the SDK's own client: tools, notifications, a server that asks the client's model, logs on standard error.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CreateMessageRequestSchema, LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const [server, stderr = 'inherit'] = process.argv.slice(2);
const transport = new StdioClientTransport({ command: process.execPath, args: [server], stderr });
const client = new Client({ name: 'agent', version: '1.0.0' }, { capabilities: { sampling: {} } });
client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => console.log('notified', params.level, params.data));
client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
  console.log('asked', params.messages[0].content.text);
  return { model: 'a-model', role: 'assistant', content: { type: 'text', text: `the answer at ${Date.now()}` } };
});
client.onclose = () => console.log('closed');
if (stderr === 'pipe') transport.stderr.on('data', (text) => console.error('server:', String(text).trim()));
await client.connect(transport);
console.log(client.getServerVersion(), transport.pid > 0);
console.log((await client.listTools()).tools.map(({ name }) => name));
const call = async (name, args) => {
  try {
    const { content, isError } = await client.callTool({ name, arguments: args });
    console.log(name, isError === true, content[0].text.slice(0, 100), content[0].text.length);
  } catch ({ name: error, code, message }) {
    console.log(error, code, message);
  }
};
await call('look_up', { what: 'ünbedingt' });
await Promise.all([call('look_up', { what: 'one' }), call('look_up', { what: 'two' }), call('large', {})]);
await call('ask_model', { question: 'why?' });
await call('environment', {});
await call('fails', {});
await call('no_such_tool', {});
await client.close();
console.log('done', transport.pid);
