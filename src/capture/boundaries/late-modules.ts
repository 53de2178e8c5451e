/** Modules that Node loads on demand and that reach the world by native code of their own: SQLite and WASI. */
import { apply } from '../../runtime/natives.ts';
import { loadQuietly } from '../../runtime/late-load.ts';
import { patchMethod } from '../../runtime/patches.ts';
import type { Session } from '../session.ts';
import { installSqlite, type Sqlite } from './sqlite.ts';

const WASI_WARNING = /^WASI is an experimental feature/;

export function installLateModules(session: Session): void {
  loadQuietly('node:sqlite', (sqlite) => installSqlite(session, sqlite as unknown as Sqlite));
  patchMethod(process, 'emitWarning', (native) => function (this: unknown, ...args: unknown[]): unknown {
    const live = (): unknown => apply(native, this, args);
    return typeof args[0] === 'string' && WASI_WARNING.test(args[0]) ? session.uncaptured('node:wasi', live) : live();
  });
}
