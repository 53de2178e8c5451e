// 300 KB at once, 2 MB in pieces with back-pressure, and 100 KB in the last tick before exit.
const line = `${'0123456789abcdef'.repeat(64)}\n`;
console.log(line.repeat(300));
for (let i = 0; i < 128; i++) {
  if (!process.stdout.write(`${i} ${line.repeat(16)}`)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}
process.stderr.write(line.repeat(120));
process.stdout.write(line.repeat(100), () => process.stdout.write('end\n'));
