// One row of a file.
import { DatabaseSync } from 'node:sqlite';
const database = new DatabaseSync('rows.db');
database.exec('CREATE TABLE IF NOT EXISTS rows (value TEXT)');
if (database.prepare('SELECT count(*) AS n FROM rows').get().n === 0) database.exec('INSERT INTO rows VALUES (hex(randomblob(8)))');
console.log(database.prepare('SELECT value FROM rows').get().value);
database.close();
