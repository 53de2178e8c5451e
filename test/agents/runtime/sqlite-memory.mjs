// A database in memory: every way to ask, functions of the program, and what SQL itself takes from clock and chance.
import { createRequire } from 'node:module';
const sqlite = createRequire(import.meta.url)('node:sqlite');
const { DatabaseSync, StatementSync } = sqlite;
const database = new DatabaseSync(':memory:');
database.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, size REAL, data BLOB, at TEXT DEFAULT CURRENT_TIMESTAMP, draw INTEGER DEFAULT (abs(random() % 1000000)))');
const insert = database.prepare('INSERT INTO notes (text, size, data) VALUES (?, ?, ?)');
console.log(insert.run('one', 1.5, new Uint8Array([1, 2])), insert.run('zwei', null, null), insert.run('three', -0, Buffer.alloc(600, 7)));
console.log(database.prepare('SELECT * FROM notes').all());
console.log(database.prepare("SELECT random() % 1000000 AS r, hex(randomblob(4)) AS b, datetime('now') AS d, julianday('now') AS j, unixepoch('now','subsec') AS u, CURRENT_TIME AS t").get());
const named = database.prepare('SELECT text, $n + :m AS sum FROM notes WHERE id > @id');
console.log(named.all({ n: 1, m: 2n, id: 1 }), named.get({ $n: 5, ':m': 1, '@id': 0 }), named.sourceSQL, named.expandedSQL, named.columns?.());
const big = database.prepare('SELECT id, 9007199254740993 AS big FROM notes');
big.setReadBigInts(true);
console.log(big.get());
for (const row of database.prepare('SELECT id, text FROM notes ORDER BY id DESC').iterate()) { console.log(row); if (row.id === 2) break; }
console.log([...database.prepare('SELECT id FROM notes').iterate()], database.prepare('SELECT id FROM notes').iterate().map(({ id }) => id).toArray?.());
database.function('shout', (text) => `${text}! ${Date.now()} ${Math.random()}`);
database.function('plus', { deterministic: true, varargs: true }, (...numbers) => numbers.reduce((sum, number) => sum + number, 0));
console.log(database.prepare('SELECT shout(text) AS loud, plus(1, 2, id) AS sum FROM notes').all());
database.aggregate?.('longest', { start: '', step: (longest, text) => (text.length > longest.length ? text : longest) });
if (database.aggregate) console.log(database.prepare('SELECT longest(text) AS longest FROM notes').get());
database.function('fails', () => { throw new RangeError('by the program'); });
for (const bad of [() => database.exec('NO SQL'), () => database.prepare('SELECT none FROM notes'), () => insert.run(1, 2, 3, 4), () => insert.run(Symbol('x')), () => database.prepare(3), () => database.prepare('SELECT fails()').get(), () => database.exec("INSERT INTO notes (id) VALUES (1)"), () => new StatementSync(), () => DatabaseSync(':memory:'), () => new DatabaseSync(), () => new DatabaseSync(':memory:', { readOnly: 3 })]) try { console.log(bad()); } catch (error) { console.log(error.name, error.code, error.errcode, error.errstr, error.message, Object.keys(error)); }
database.exec('BEGIN');
console.log(database.isTransaction, database.isOpen, database.location?.());
database.exec('ROLLBACK');
const session = database.createSession?.({ table: 'notes' });
database.exec("INSERT INTO notes (text) VALUES ('late')");
console.log(session?.changeset().length, session?.patchset().length, session?.close());
class Own extends DatabaseSync { one(sql) { return this.prepare(sql).get(); } }
const own = new Own(':memory:', { open: false });
console.log(own.isOpen, own.open(), own.isOpen, own.one('SELECT 1 AS one'), own instanceof DatabaseSync, Object.prototype.toString.call(own));
own.exec("ATTACH DATABASE ':memory:' AS other; CREATE TABLE other.x (y); INSERT INTO other.x VALUES ('attach is a word')");
console.log(own.one("SELECT * FROM other.x WHERE y = 'attach is a word'"));
const tags = database.createTagStore?.(4);
if (tags) console.log(tags.get`SELECT ${1} AS one, ${'two'} AS two`, tags.all`SELECT id FROM notes WHERE id > ${1}`, tags.run`UPDATE notes SET text = ${'new'}`, [...tags.iterate`SELECT ${3} AS n`], tags.size, tags.capacity, tags.db === database, tags.clear(), tags.size);
console.log(database, insert, Reflect.ownKeys(database), Reflect.ownKeys(insert), Object.keys(sqlite));
console.log(database.serialize?.().length, database.close(), database.isOpen);
try { insert.run('x', 1, null); } catch ({ code, message }) { console.log(code, message); }
