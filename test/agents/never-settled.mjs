// A top-level await that never settles: Node ends with 13 and says so.
console.log('waiting');
setTimeout(() => console.log('the last timer'), 5);
await new Promise(() => {});
