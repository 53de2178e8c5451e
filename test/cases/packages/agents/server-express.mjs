// A service on Express: middleware, routers, JSON and form bodies, an error handler, a call to a model, a stream.
import express from 'express';
import OpenAI from 'openai';

const app = express();
const openai = new OpenAI();
app.use(express.json({ limit: '10kb' }), express.urlencoded({ extended: false }));
app.use((request, response, next) => {
  response.set('x-request', `${request.method} ${request.path}`);
  response.on('finish', () => console.log(request.method, request.originalUrl, response.statusCode));
  next();
});
const router = express.Router();
router.post('/chat', async (request, response) => {
  const completion = await openai.chat.completions.create({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: request.body.question }] });
  response.json({ question: request.body.question, answer: completion.choices[0].message.content });
});
router.post('/stream', async (request, response) => {
  response.type('text/event-stream');
  const stream = await openai.chat.completions.create({ model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: request.body.question }] });
  for await (const chunk of stream) response.write(`data: ${JSON.stringify(chunk.choices[0]?.delta?.content ?? '')}\n\n`);
  response.end();
});
app.use('/api', router);
app.post('/form', (request, response) => response.status(201).send(request.body));
app.get('/items/:id', (request, response) => response.json({ id: request.params.id, query: request.query }));
app.get('/fails', () => {
  throw new Error('a route failed');
});
app.post('/quit', (request, response) => {
  response.send('bye');
  server.close(() => console.log('closed'));
});
app.use((error, request, response, next) => {
  console.log('error handler', error.type ?? error.message);
  response.status(error.status ?? 500).json({ error: error.message, next: typeof next });
});
const server = app.listen(0, '127.0.0.1', () => console.log(`listening on 127.0.0.1:${server.address().port}`));
