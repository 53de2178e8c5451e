/** Modules that Node loads on demand and that reach the world by native code of their own: SQLite and WASI. */
import { loadQuietly } from '../../runtime/late-load.ts';
import type { Session } from '../session.ts';
import { installSqlite, type Sqlite } from './sqlite.ts';

const WASI_WARNING = /^WASI is an experimental feature/;

export function installLateModules(session: Session): void {
  loadQuietly('node:sqlite', (sqlite) => installSqlite(session, sqlite as unknown as Sqlite));
}

/** Loading WASI early would show: its warning tells that it is loaded. */
export const watchWarnings = (session: Session) => (text: string, live: () => unknown): unknown => (WASI_WARNING.test(text) ? session.uncaptured('node:wasi', live) : live());
