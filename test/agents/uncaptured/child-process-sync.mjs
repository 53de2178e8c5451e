import { execFileSync } from 'node:child_process';
console.log('before');
try { console.log(execFileSync('sh', ['-c', 'echo child; touch touched'], { encoding: 'utf8' })); } catch { console.log('caught'); }
