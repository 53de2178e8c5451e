// At a terminal: keys one by one in raw mode, the cursor, another size, a line with history and completion, an interrupt.
import readline from 'node:readline';
import { createInterface, Readline } from 'node:readline/promises';
const { stdin, stdout } = process;
console.log(stdin.isTTY, stdin.isRaw, stdout.columns, stdout.rows, stdout.getWindowSize());
readline.emitKeypressEvents(stdin);
stdin.setRawMode(true);
console.log(stdin.isRaw, 'keys?');
const keys = [];
await new Promise((resolve) => {
  stdin.on('keypress', function pressed(text, { name, ctrl, meta, shift, sequence }) {
    keys.push([text, name, ctrl, meta, shift, sequence]);
    if (name === 'q') resolve(stdin.off('keypress', pressed));
  });
  stdin.resume();
});
console.log(JSON.stringify(keys));
stdin.setRawMode(false);
const resized = new Promise((resolve) => stdout.once('resize', resolve));
process.once('SIGWINCH', (name) => console.log(name));
console.log('size?');
await resized;
stdin.pause();
console.log(stdout.columns, stdout.rows, stdout.getColorDepth(), stdout.hasColors());
stdout.cursorTo(4, () => {});
await new Promise((resolve) => stdout.write('!\n', resolve));
await new Readline(stdout).moveCursor(2, 0).clearLine(0).cursorTo(0).commit();
const terminal = createInterface({ input: stdin, output: stdout, historySize: 5, history: ['older', 'oldest'], completer: (line) => [['approve', 'approximate'].filter((word) => word.startsWith(line)), line] });
terminal.on('history', (lines) => console.log('history', lines));
console.log('\nanswered', JSON.stringify(await terminal.question('line? ')));
console.log('\nanswered', JSON.stringify(await terminal.question('again? ')), terminal.cursor, terminal.getCursorPos());
terminal.on('SIGINT', () => { console.log('interrupted', JSON.stringify(terminal.line)); terminal.close(); });
terminal.on('close', () => console.log('closed'));
terminal.setPrompt('> ');
terminal.prompt();
await new Promise((resolve) => terminal.once('close', resolve));
process.once('SIGINT', (name) => { console.log(name); clearInterval(waiting); });
const waiting = setInterval(() => {}, 1000);
console.log('interrupt?');
