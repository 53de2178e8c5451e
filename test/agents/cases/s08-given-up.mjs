// Case S08 a-c: an event stream that the agent leaves after three events, one that it aborts, and a request aborted before it is sent.
const server = process.env.SERVER_URL;
const controller = new AbortController();
const events = async (take, signal) => {
  const response = await fetch(`${server}/held?n=4`, { signal });
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const whole = text.split('\n\n').slice(0, -1);
    if (whole.length < take) continue;
    console.log(whole.slice(0, take).join(' '));
    if (!signal) break;
    controller.abort();
  }
};
const show = (error) => console.log(error.name, error instanceof DOMException, error.code, error.message, error === controller.signal.reason, controller.signal.aborted);
const gaveUp = {
  break: () => events(3),
  abort: () => events(2, controller.signal),
  aborted() {
    controller.abort();
    return fetch(`${server}/json`, { method: 'POST', body: 'never sent', signal: controller.signal });
  },
};
process.on('exit', (code) => console.log('exit', code));
await gaveUp[process.argv[2]]().catch(show);
