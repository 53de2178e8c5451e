// Memory that is waited for, in vain; waiting does not keep a program alive.
const alive = setInterval(() => {}, 1000);
console.log(await Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300).value);
clearInterval(alive);
