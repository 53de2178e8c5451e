import { inspect } from 'node:util';
process.on('message', (back) => process.send({ back, heard: inspect({ ...back, err: undefined }, { depth: 5 }), now: Date.now(), last: back.last }));
