// One way to begin to use a terminal, by the name that the runtime has for it.
const { stdin, stdout } = process;
const uses = {
  readStart: () => stdin.resume(),
  shutdown: () => stdout.end(),
  writeBuffer: () => stdout.write(Buffer.from('bytes\n')),
  writev: () => { stdout.cork(); stdout.write('one '); stdout.write('two\n'); stdout.uncork(); },
  writeAsciiString: () => stdout.write('ascii\n', 'ascii'),
  writeLatin1String: () => stdout.write('l\u00e4tin\n', 'latin1'),
  writeUtf8String: () => stdout.write('\u00fctf-8\n', 'utf8'),
  writeUcs2String: () => stdout.write('wide\n', 'utf16le'),
};
uses[process.argv[2] ?? 'writeBuffer']();
setImmediate(() => process.exit());
