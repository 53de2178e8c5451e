import { exec } from 'node:child_process';
console.log('before');
exec('echo from the child; touch touched', (_, stdout) => console.log(stdout));
