// EventSource of Node: events as they come, an error, the end; run with --experimental-eventsource.
const order = [];
const source = new EventSource(`${process.env.SERVER_URL}/sse?n=4`);
source.onopen = ({ type, timeStamp }) => order.push([type, timeStamp > 0, source.readyState]);
await new Promise((resolve) => {
  source.onmessage = ({ data, lastEventId, origin }) => order.push([data, lastEventId, origin === process.env.SERVER_URL]);
  source.onerror = ({ type }) => { order.push([type, source.readyState]); source.close(); resolve(); };
});
console.log(order, source.readyState, source.withCredentials);
const missing = new EventSource(`${process.env.SERVER_URL}/json`);
await new Promise((resolve) => (missing.onerror = ({ type }) => resolve(console.log(type, missing.readyState))));
missing.close();
