// better-sqlite3 with a database in memory: statements, a transaction, functions of the program.
import Database from 'better-sqlite3';
const database = new Database(':memory:');
database.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)');
const insert = database.prepare('INSERT INTO notes (text) VALUES (?)');
const all = database.transaction((texts) => texts.map((text) => insert.run(text).lastInsertRowid));
console.log(all(['one', 'zwei', (await (await fetch(`${process.env.SERVER_URL}/json`)).json()).id]));
database.function('shout', (text) => `${text}! ${Date.now()} ${Math.random()}`);
console.log(database.prepare('SELECT id, shout(text) AS loud FROM notes').all(), [...database.prepare('SELECT id FROM notes').iterate()]);
try { insert.run(1, 2, 3); } catch ({ name, message }) { console.log(name, message); }
try { database.exec('NO SQL'); } catch ({ name, code }) { console.log(name, code); }
console.log(database.open, database.close() === database, database.open);
