// A service that nobody ends but a signal.
import http from 'node:http';
const server = http.createServer(async (request, response) => {
  await request.toArray();
  const { id } = await (await fetch(`${process.env.SERVER_URL}/json`)).json();
  console.log(request.url, id);
  response.end(id);
});
server.listen(0, '127.0.0.1', () => console.log(`listening on 127.0.0.1:${server.address().port}`));
