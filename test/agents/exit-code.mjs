// process.exitCode, and handlers that are told.
process.exitCode = 4;
process.on('beforeExit', (code) => console.log('beforeExit', code));
process.on('exit', (code) => console.log('exit', code, process.exitCode));
console.log(await (await fetch(`${process.env.SERVER_URL}/json`)).json());
