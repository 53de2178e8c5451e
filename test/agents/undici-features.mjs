// undici's own ways: retries, redirects, DNS and cache interceptors, stream, pipeline, event source, a dispatcher for the global fetch.
import { PassThrough } from 'node:stream';
import { Agent, errors, EventSource, fetch as undiciFetch, getGlobalDispatcher, interceptors, pipeline, request, RetryAgent, setGlobalDispatcher, stream } from 'undici';
const server = process.env.SERVER_URL;
const text = async ({ statusCode, headers, body }) => `${statusCode} ${headers['content-type']} ${(await body.text()).slice(0, 200)}`;
const model = { method: 'POST', body: '{}', path: '/overloaded/v1/messages?id=', origin: server };
const retry = new RetryAgent(new Agent(), { minTimeout: 5, statusCodes: [529], methods: ['POST'], retryAfter: false });
console.log(await text(await retry.request({ ...model, path: `${model.path}1` })).catch((error) => console.log(error.name, error.code)));
const composed = new Agent().compose(interceptors.redirect({ maxRedirections: 2 }), interceptors.retry({ minTimeout: 5, methods: ['POST'] }), interceptors.dns());
console.log(await text(await request(`${server.replace('127.0.0.1', 'localhost')}/found?to=/json`, { dispatcher: composed })));
await request(`${server}/absent`, { dispatcher: new Agent().compose(interceptors.responseError()) }).catch((error) => console.log(error.name, error.code, error.statusCode));
const caching = new Agent().compose(interceptors.cache());
for (let i = 0; i < 2; i++) console.log(await text(await request(`${server}/cached`, { dispatcher: caching })));
const sink = new PassThrough();
const collected = sink.toArray();
await stream(`${server}/large?bytes=40000`, { method: 'GET', opaque: sink }, ({ opaque }) => opaque);
console.log(Buffer.concat(await collected).length);
const piped = pipeline(`${server}/json`, { method: 'POST' }, ({ body }) => body);
piped.end('piped');
console.log(JSON.parse(Buffer.concat(await piped.toArray())).body);
await request(`${server}/hang`, { headersTimeout: 30, dispatcher: new Agent() }).catch((error) => console.log(error.name, error instanceof errors.HeadersTimeoutError));
await request(`${server}/held?n=1`, { bodyTimeout: 30, dispatcher: new Agent() }).then(({ body }) => body.text()).catch((error) => console.log(error.name, error.code));
const before = getGlobalDispatcher();
setGlobalDispatcher(new Agent({ connections: 1, headersTimeout: 5000 }));
console.log(await Promise.all([1, 2, 3].map(async (i) => (await (await fetch(`${server}/json?i=${i}`)).json()).path)));
await getGlobalDispatcher().close();
setGlobalDispatcher(before);
// Its own timer for the next connection keeps nobody alive.
const alive = setInterval(() => {}, 1000);
const source = new EventSource(`${server}/events`);
await new Promise((resolve) => {
  source.onopen = () => console.log('open');
  source.onerror = ({ type }) => console.log(type, source.readyState);
  source.onmessage = ({ data, lastEventId, origin }) => {
    console.log(lastEventId, data, origin === server);
    if (lastEventId === '7') resolve(source.close());
  };
});
clearInterval(alive);
console.log(await (await undiciFetch(`${server}/json`)).json());
