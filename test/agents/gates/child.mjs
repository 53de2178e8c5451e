import { spawn } from 'node:child_process';
spawn('/bin/echo', ['hello']).stdout.on('data', (data) => console.log(String(data)));
