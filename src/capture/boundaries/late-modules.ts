/**
 * Modules that Node loads on demand and that reach the world by native code of their own: SQLite and WASI. Loading them
 * early would show (they warn that they are experimental), so where they warn, the warning tells that they are loaded.
 */
import { apply, construct } from '../../runtime/natives.ts';
import { type AnyFunction, disguiseConstructor, patchMethod, patchValue } from '../../runtime/patches.ts';
import type { Session } from '../session.ts';

const WARNED: Readonly<Record<string, string>> = { SQLite: 'node:sqlite', WASI: 'node:wasi' };
const WARNING = /^(\w+) is an experimental feature/;

export function blockLateModules(session: Session, block: (owner: object, name: string, shown: string) => void): void {
  patchMethod(process, 'emitWarning', (native) => function (this: unknown, ...args: unknown[]): unknown {
    const late = typeof args[0] === 'string' ? WARNED[WARNING.exec(args[0])?.[1] ?? ''] : undefined;
    const live = (): unknown => apply(native, this, args);
    return late === undefined ? live() : session.uncaptured(late, live);
  });
  blockQuietSqlite(session, block);
}

/** From Node 24 on, SQLite no longer warns. */
function blockQuietSqlite(session: Session, block: (owner: object, name: string, shown: string) => void): void {
  const major = Number(process.versions.node.split('.')[0]);
  const sqlite = major < 24 ? undefined : (process.getBuiltinModule('node:sqlite') as unknown as Record<string, AnyFunction> | undefined);
  if (!sqlite) return;
  for (const name of ['DatabaseSync', 'Database']) {
    const native = sqlite[name];
    if (native) patchValue(sqlite, name, disguiseConstructor(native, (target, args) => session.uncaptured(`node:sqlite (${name})`, () => construct(native, args, target) as object)));
  }
  block(sqlite, 'backup', 'node:sqlite (backup)');
}
