// Case S15 (a) to (c): the end right after the last answer, by the argument.
const ask = async () => (await (await fetch(`${process.env.SERVER_URL}/json`)).json()).id;
console.log('answer', await ask());
const id = await ask();
if (process.argv[2] === 'a') { console.log('exits', id); process.exit(3); }
if (process.argv[2] === 'b') { console.log('ends', id); process.exitCode = 4; }
if (process.argv[2] === 'c') { console.log('throws', id); throw new Error('uncaught'); }
