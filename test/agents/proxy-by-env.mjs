// A proxy that the environment names: undici's EnvHttpProxyAgent, and the runtime's own way where it has one (NODE_USE_ENV_PROXY).
import http from 'node:http';
import https from 'node:https';
import { EnvHttpProxyAgent, fetch as undiciFetch } from 'undici';
const { SERVER_URL: server, SERVER_TLS_URL: secure } = process.env;
const ask = (options) => new EnvHttpProxyAgent({ httpProxy: server, httpsProxy: server, ...options });
for (const dispatcher of [ask(), ask({ noProxy: '127.0.0.1' })]) {
  for (const url of [`${server}/json?by-env`, `${secure}/json?by-env`]) {
    const { id, path } = await (await undiciFetch(url, { dispatcher })).json();
    console.log(id, path);
  }
  await dispatcher.close();
}
for (const url of [`${server}/json?own`, `${secure}/json?own`]) {
  console.log((await (await fetch(url)).json()).id);
  const response = await new Promise((resolve) => (url.startsWith('https') ? https : http).get(url, resolve));
  const { id, path } = JSON.parse(Buffer.concat(await response.toArray()));
  console.log(id, path);
}
