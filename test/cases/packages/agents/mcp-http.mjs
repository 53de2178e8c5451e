// The MCP SDK's client over streamable HTTP: tools, a call, the server's own event stream, close.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
const client = new Client({ name: 'agent', version: '1.0.0' });
const notified = new Promise((resolve) => (client.fallbackNotificationHandler = async ({ params }) => resolve(params.data)));
const transport = new StreamableHTTPClientTransport(new URL(`${process.env.SERVER_URL}/mcp`));
client.onclose = () => console.log('closed');
client.onerror = (error) => console.log(error.name, error.message);
await client.connect(transport);
console.log(client.getServerVersion(), transport.sessionId);
console.log((await client.listTools()).tools);
console.dir(await Promise.all(['weather', 'time'].map((what) => client.callTool({ name: 'look_up', arguments: { what } }))), { depth: 9 });
console.log(await notified);
await transport.terminateSession();
await client.close();
