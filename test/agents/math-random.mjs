// Math.random on its own: drawn in a callback that does nothing else, beside a clock read, in a continuation, and as the last act.
const drawn = [];
const draw = () => drawn.push(Math.random());
setTimeout(draw, 1);
setTimeout(() => (draw(), Date.now()), 2);
setTimeout(() => (Date.now(), draw()), 3);
setImmediate(draw);
fetch(`${process.env.SERVER_URL}/json`).then((response) => response.json()).then(draw);
setTimeout(() => Promise.resolve().then(draw), 4);
setTimeout(() => console.log(drawn.length, drawn), 60);
process.once('beforeExit', () => setTimeout(draw, 1));
