import fs from 'node:fs';
import tty from 'node:tty';
console.log('before');
try {
  new tty.ReadStream(fs.openSync('/dev/null')).destroy();
} catch {
  fs.writeFileSync('touched', '');
}
