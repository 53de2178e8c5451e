// Node's old domains: errors in callbacks reach the domain that they belong to.
const { create } = require('node:domain');
for (const name of ['a', 'b']) {
  const domain = create();
  domain.on('error', ({ message }) => console.log(name, message));
  domain.run(() => {
    setTimeout(() => { throw new Error('in a timer'); }, 3);
    setImmediate(() => { throw new Error('in an immediate'); });
  });
}
