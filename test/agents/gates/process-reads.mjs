// One thing that a process can ask about itself or its machine, by name; all of them without a name.
import os from 'node:os';
import v8 from 'node:v8';
const names = process.argv[2] ? process.argv.slice(2) : ['uptime', 'hostname', 'getHeapStatistics'];
for (const name of names) for (const owner of [process, os, v8]) if (typeof owner[name] === 'function') console.log(name, name === 'queryObjects' ? owner[name](Object) : owner[name]());
