console.log('before');
const cells = new Int32Array(new SharedArrayBuffer(4));
// Waiting so keeps no loop going.
const going = setInterval(() => {}, 1000);
const { value } = Atomics.waitAsync(cells, 0, 0, 5);
console.log(await value);
clearInterval(going);
