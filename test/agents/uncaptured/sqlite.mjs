console.log('before');
const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
try {
  const database = new DatabaseSync('touched');
  database.exec('CREATE TABLE IF NOT EXISTS notes (note TEXT)');
} catch (error) {
  console.log(error.message);
}
