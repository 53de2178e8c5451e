import fs from 'node:fs';
console.log('before');
fs.writeFileSync('touched', 'written');
console.log(fs.readFileSync('touched', 'utf8'));
