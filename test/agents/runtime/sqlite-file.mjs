// A database in a file: made, written, read again by a second connection, failed upon; the time and a fetch in between.
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
const path = `${process.env.DATABASE ?? process.cwd()}/notes.db`;
const database = new DatabaseSync(path, { timeout: 50 });
database.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT UNIQUE, at TEXT DEFAULT CURRENT_TIMESTAMP, data BLOB)');
const insert = database.prepare('INSERT INTO notes (text, data) VALUES (:text, :data)');
console.log(insert.run({ text: 'one', data: new Uint8Array([1, 2, 3]) }), insert.run({ text: (await (await fetch(`${process.env.SERVER_URL}/json`)).json()).id, data: Buffer.alloc(1000, 1) }));
console.log(database.prepare('SELECT * FROM notes ORDER BY id').all(), database.prepare("SELECT count(*) AS n, datetime('now') AS now, random() % 1000000 AS r FROM notes").get());
try { insert.run({ text: 'one', data: null }); } catch (error) { console.log(error.name, error.code, error.errcode, error.errstr, error.message, error.stack.split('\n')[1].includes('sqlite-file.mjs')); }
try { insert.run({ wrong: 1 }); } catch ({ name, code, message }) { console.log(name, code, message); }
database.exec('BEGIN');
console.log(database.isTransaction, database.prepare("UPDATE notes SET text = text || '!' RETURNING id, text").all());
database.exec('COMMIT');
console.log(database.isTransaction, insert.expandedSQL, insert.sourceSQL);
const other = new DatabaseSync(pathToFileURL(path), { readOnly: true });
const iterator = other.prepare('SELECT id, text FROM notes').iterate();
console.log(iterator.next(), [...iterator], iterator.next());
for (const bad of [() => other.exec('DELETE FROM notes'), () => new DatabaseSync('/no/such/folder/x.db'), () => new DatabaseSync(7), () => database.open(), () => database.prepare('SELECT x FROM nothing')]) try { console.log(bad()); } catch ({ name, code, errcode, message }) { console.log(name, code, errcode, message); }
console.log(database.location?.() === path, other.isOpen, other.close(), other.isOpen);
const tags = database.createTagStore?.();
if (tags) console.log(tags.all`SELECT id FROM notes WHERE id < ${2}`, tags.run`DELETE FROM notes WHERE id = ${1}`, tags.size, tags.db === database);
console.log(database.prepare('SELECT count(*) AS n FROM notes').get(), database.prepare('PRAGMA journal_mode').get(), typeof database.serialize?.().length);
console.log(database, insert, database[Symbol.dispose]?.(), database.isOpen);
