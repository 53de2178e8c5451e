// Case S14: a stream whose connection is reset, or closed before its end, and the agent's second try; by fetch and by node:http.
import http from 'node:http';
const server = process.env.SERVER_URL;
const take = (seen, text, seenTwo) => {
  seen.push(...text.split('\n\n').filter(Boolean));
  if (seen.length === 2) seenTwo();
};
const byFetch = async (url, ...into) => {
  const response = await fetch(url);
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) take(into[0], text, into[1]);
};
const byHttp = (url, ...into) => new Promise((resolve, reject) => {
  http.get(url, (response) => {
    response.setEncoding('utf8').on('data', (text) => take(into[0], text, into[1])).on('end', resolve).on('error', reject);
    response.on('aborted', () => console.log('aborted', response.complete));
  }).on('error', reject);
});
for (const [client, read] of Object.entries({ byFetch, byHttp })) {
  for (const how of ['reset', 'close']) {
    const id = `${client}-${how}`;
    for (let attempt = 1; attempt <= 2; attempt++) {
      const seen = [];
      // The server hears how far the agent is, as a gateway does from its progress reports.
      const report = attempt === 1 ? () => void fetch(`${server}/seen?id=${id}`, { method: 'POST' }) : () => {};
      await read(`${server}/dies?how=${how}&id=${id}`, seen, report).then(
        () => console.log(client, how, 'complete'),
        (error) => console.log(client, how, error.name, error.message, error.code, error.cause && [error.cause.name, error.cause.code, error.cause.syscall, error.cause.message]),
      );
      console.log(seen.length, seen.join(' '));
    }
  }
}
