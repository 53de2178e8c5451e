// Says more than its reader takes, and leaves: the rest is lost.
process.stdout.write('first\n');
process.stdout.write('a'.repeat(200_000), () => console.error('never printed'));
process.stdout.write('b'.repeat(200_000));
process.on('exit', () => console.log('last words'));
process.exit(5);
