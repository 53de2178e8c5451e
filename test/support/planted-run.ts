/** A recorded run that is full of planted secrets, and of other things that must stay as they are. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import zlib from 'node:zlib';
import { PLANTED } from './planted-secrets.ts';
import type { Harnessed, Workspace } from './workspace.ts';

export const PLANTS = 'masking/plants.mjs';

/** No secret in it: words, ids, hashes, addresses, numbers, a picture. */
export const INNOCENT: string = JSON.stringify(
  Array.from({ length: 400 }, (_, index) => ({
    id: `0199${String(index).padStart(4, '0')}-7b2c-7d3e-8f4a-5b6c7d8e9f0a`, title: `A note about password rules, token counts and keys (${index})`, max_tokens: 4096 + index, token_type: 'Bearer', tokens: index,
    next_page_token: `page-${index}`, author: { name: 'Ana Ruiz', email: `ana.${index}@example.org`, session: 'morning' }, etag: `W/"${(index * 2654435761 % 2 ** 32).toString(16)}"`,
    at: '2026-11-30T01:00:00.000Z', url: `https://example.org/notes/${index}?page=2&lang=en#top`, text: 'The secret of a good cup of tea is time. TOKEN=true, DEBUG=1, PASSWORD=password. '.repeat(4),
    picture: Buffer.from(Array.from({ length: 96 }, (_each, at) => (at * 37 + index) % 256)).toString('base64'),
  })),
);

/** What the agent is started with. */
export interface PlantedWorld {
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  stop(): Promise<void>;
}

export async function plantedServer(answer: RequestListener): Promise<{ readonly url: string; stop(): Promise<void> }> {
  // A process that loads a database may not come to its requests for longer than the default.
  const server = createServer({ keepAliveTimeout: 60_000 }, answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    const closed = server.listening ? once(server, 'close') : undefined;
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

/** Starts the server, and writes the files that the agent reads. Its own rule is in the configuration. */
export async function plantedWorld(workspace: Workspace): Promise<PlantedWorld> {
  const { url, stop } = await plantedServer(answer);
  workspace.write('planted.mjs', `export default ${JSON.stringify(PLANTED)};\n`);
  workspace.write('replay-harness.json', JSON.stringify({ mask: [{ json: '$.internal.code' }] }));
  workspace.write('.env', `# of the agent\nDEBUG=true\nexport PAYMENTS_SECRET="${PLANTED['dotEnv']}"\nPORT=8080\n`);
  workspace.write('credentials', `[default]\nregion = eu-central-1\naws_secret_access_key = ${PLANTED['credentialsFile']}\n`);
  workspace.write('.netrc', `machine git.example.org login ana password ${PLANTED['netrc']}\n`);
  workspace.write('server.pem', `${PLANTED['rsaKey']}\n`);
  workspace.write('mcp.json', JSON.stringify({ mcpServers: { search: { command: 'sh', env: { SEARCH_API_KEY: PLANTED['mcpVariable'] } } } }));
  workspace.write('innocent.json', INNOCENT);
  const env = {
    SERVER_URL: url,
    DATABASE_URL: `postgres://app:${encodeURIComponent(PLANTED['urlPassword'] as string)}@db.example.org:5432/orders`,
    HTTPS_PROXY: `http://ana:${PLANTED['proxyPassword']}@proxy.example.org:3128`,
    DEPLOY_SECRET: PLANTED['ownVariable'] as string,
    OPENAI_API_KEY: PLANTED['openai'] as string,
    NO_PROXY: '*',
  };
  return { env, args: ['--api-key', PLANTED['argument'] as string], stop };
}

/** Records the agent, with its server stopped afterwards. */
export async function recordPlanted(workspace: Workspace): Promise<Harnessed> {
  const world = await plantedWorld(workspace);
  try {
    return await workspace.record(workspace.copy(PLANTS), { env: world.env, args: world.args });
  } finally {
    await world.stop();
  }
}

const PACKERS: Readonly<Record<string, readonly [(text: string) => Buffer, string]>> = {
  gzip: [zlib.gzipSync, 'gzipped'], br: [zlib.brotliCompressSync, 'brotli'], deflate: [zlib.deflateSync, 'deflated'],
};

function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = request.url as string;
  const secret = (name: string): string => PLANTED[name] as string;
  const packer = PACKERS[url.split('/')[2] ?? ''];
  if (packer) {
    const body = JSON.stringify({ client_secret: secret(packer[1]), note: 'a note that stays as it is. '.repeat(30) });
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': url.split('/')[2] }).end(packer[0](body));
  } else if (url === '/session') {
    response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': `session=${secret('setCookie')}; HttpOnly; Path=/` }).end(JSON.stringify({ access_token: secret('answerToken'), refresh_token: secret('refreshToken'), token_type: 'bearer', expires_in: 3600 }));
  } else if (url === '/chunked') {
    const body = JSON.stringify({ access_token: secret('cutByChunk') });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(body.slice(0, 30));
    response.end(body.slice(30));
  } else if (url === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of secret('cutByEvent').match(/.{1,5}/g) ?? []) response.write(`event: delta\ndata: ${JSON.stringify({ delta: { text: piece } })}\n\n`);
    response.end('data: [DONE]\n\n');
  } else if (url === '/echo') request.pipe(response.writeHead(200, { 'content-type': 'application/json' }));
  else {
    request.resume();
    request.once('end', () => response.writeHead(200, { 'content-type': 'text/plain' }).end('ok'));
  }
}
