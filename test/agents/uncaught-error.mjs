// An error that nobody catches, thrown in the continuation of a fetch; its cause; its stack on stderr.
console.log('before');
process.on('exit', (code) => console.log('exit', code));
const { id } = await (await fetch(`${process.env.SERVER_URL}/json?d=10`)).json();
setTimeout(function later() {
  throw Object.assign(new TypeError(`cannot use ${id}`, { cause: new Error('the cause') }), { extra: [1, 2] });
}, 5);
