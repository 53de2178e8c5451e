// Case S08 d: the shape of MCP over streamable HTTP: a session, a GET stream without an end, one call, close.
const url = `${process.env.SERVER_URL}/mcp`;
const stream = new AbortController();
let session;
const post = async (message) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...(session && { 'mcp-session-id': session }) },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    signal: stream.signal,
  });
  session ??= response.headers.get('mcp-session-id');
  return `${response.status} ${await response.text()}`;
};
console.log(await post({ id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'agent', version: '1' } } }));
console.log(await post({ method: 'notifications/initialized' }));
const listening = (async () => {
  const response = await fetch(url, { headers: { accept: 'text/event-stream', 'mcp-session-id': session }, signal: stream.signal });
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) console.log('notified', chunk.trim());
})().catch((error) => console.log(error.name, error.code, stream.signal.aborted));
console.log(await post({ id: 1, method: 'tools/call', params: { name: 'look_up', arguments: { what: 'weather' } } }));
console.log('ended', await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': session } }).then(({ status }) => status));
stream.abort();
await listening;
