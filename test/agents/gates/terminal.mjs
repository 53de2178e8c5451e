// What a program at a terminal looks at.
console.log(process.stdout.isTTY, process.stdout.columns, process.stdout.getColorDepth?.());
