// What decides whether output is coloured: which descriptors are terminals, and what the streams say of themselves.
import fs from 'node:fs';
import tty, { isatty } from 'node:tty';
console.log(String([0, 1, 2].map((fd) => isatty(fd))), tty.isatty(1), [-1, 1.5, '1', undefined, 2 ** 31, 987].map((fd) => isatty(fd)));
const opened = fs.openSync(isatty(1) ? '/proc/self/fd/1' : '/dev/null', 'r');
console.log(isatty(opened));
const { stdin, stdout, stderr } = process;
console.log(stdin.isTTY, stdin.isRaw, stdin.constructor.name, stderr.isTTY, stderr.constructor.name);
console.log(stdout.isTTY, stdout.constructor.name, stdout.hasColors?.(), stdout.hasColors?.(256), stdout.getColorDepth?.(), stdout.columns, stdout.rows, stdout.getWindowSize?.());
stdin.destroy();
