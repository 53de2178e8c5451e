console.log('before');
const { DatabaseSync, backup } = process.getBuiltinModule('node:sqlite');
const what = process.argv[2];
const file = () => new DatabaseSync(`${process.cwd()}/made.db`);
const memory = new DatabaseSync(':memory:');
try {
  if (what === 'function') file().function('one', () => 1);
  if (what === 'aggregate') file().aggregate('one', { start: 0, step: () => 1 });
  if (what === 'session') file().createSession();
  if (what === 'backup') await backup(memory, `${process.cwd()}/touched`);
  if (what === 'attach') memory.exec(`ATTACH '${process.cwd()}/touched' AS other; CREATE TABLE other.x (y)`);
  if (what === 'vacuum') memory.exec(`VACUUM INTO '${process.cwd()}/touched'`);
  if (what === 'extension') new DatabaseSync(':memory:', { allowExtension: true }).enableLoadExtension(true);
} catch (error) {
  console.log(error.message);
}
