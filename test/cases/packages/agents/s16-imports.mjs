// import() through hooks, against timers, the network and each other.
const order = [];
const note = (name) => () => order.push(name);
setTimeout(note('timer 0'), 0);
setTimeout(note('timer 5'), 5);
setImmediate(note('immediate'));
await Promise.all([
  import('./s16-ask').then(note('typescript')),
  import('axios').then(note('axios')),
  import('openai').then(note('openai')),
  import('./absent').catch(note('absent')),
  fetch(`${process.env.SERVER_URL}/json?d=4`).then(note('network')),
]);
console.log(order.join(', '));
