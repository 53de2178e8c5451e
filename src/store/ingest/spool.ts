/**
 * The spool: a folder like the embedded store's, in which a host records what goes to a server. It is the durable copy until
 * the server has the run; whoever finds a run in it that nobody records or ships any more ships it.
 */
import { nativeCrypto, NativeDate, nativeFs, nativeOs } from '../../runtime/natives.ts';
import { answers, EmbeddedStore, processStart } from '../embedded.ts';
import type { Environment } from '../keyring.ts';
import { withoutPassword } from '../location.ts';
import type { StoredRun } from '../run-store.ts';

const CLAIM = 'shipping';
/** More than it takes to write one's name. */
const CLAIMING_MS = 10_000;
/** In the folder of a run that the server has. Its own process may still write beside it. */
const SHIPPED = 'shipped';

/** One for each server and database; `REPLAY_HARNESS_SPOOL` names another. */
export function spoolFolder(url: string, env: Environment): string {
  const given = env['REPLAY_HARNESS_SPOOL'];
  if (given) return given;
  const name = nativeCrypto.createHash('sha256').update(withoutPassword(url)).digest('hex').slice(0, 16);
  return `${stateFolder(env)}/spool/${name}`;
}

function stateFolder(env: Environment): string {
  if (env['XDG_STATE_HOME']) return `${env['XDG_STATE_HOME']}/replay-harness`;
  const home = env['HOME'] || homeFolder();
  return home === '' ? `${nativeOs.tmpdir()}/replay-harness-${process.getuid?.() ?? 'user'}` : `${home}/.local/state/replay-harness`;
}

function homeFolder(): string {
  try {
    return nativeOs.homedir();
  } catch {
    return '';
  }
}

export class Spool {
  readonly store: EmbeddedStore;

  constructor(folder: string) {
    this.store = new EmbeddedStore(folder);
  }

  /** What nobody records any more, oldest first. Takes away what the server has already. */
  leftovers(): StoredRun[] {
    return this.store.list().reverse().filter((run) => {
      if (run.status === 'recording' || run.damage) return false;
      if (!this.isShipped(run.manifest.id)) return true;
      this.remove(run);
      return false;
    });
  }

  /** @returns false when somebody else is at it */
  claim(id: string): boolean {
    const file = `${this.store.folderOf(id)}/${CLAIM}`;
    for (let tries = 0; tries < 2; tries++) {
      try {
        nativeFs.writeFileSync(file, `${process.pid} ${processStart(process.pid)}`, { flag: 'wx', mode: 0o600 });
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
      }
      if (this.#isHeld(file)) return false;
      nativeFs.rmSync(file, { force: true });
    }
    return false;
  }

  release(id: string): void {
    nativeFs.rmSync(`${this.store.folderOf(id)}/${CLAIM}`, { force: true });
  }

  shipped(id: string): void {
    nativeFs.writeFileSync(`${this.store.folderOf(id)}/${SHIPPED}`, '', { mode: 0o600 });
  }

  isShipped(id: string): boolean {
    return nativeFs.existsSync(`${this.store.folderOf(id)}/${SHIPPED}`);
  }

  /** Only when its process is gone. */
  remove({ manifest: { id, pid, processStart: start } }: StoredRun): void {
    if (start !== '' && processStart(pid) === start) return;
    nativeFs.rmSync(this.store.folderOf(id), { recursive: true, force: true });
  }

  /** One that is gone is tried for later. */
  #isHeld(file: string): boolean {
    try {
      const [pid, start] = nativeFs.readFileSync(file, 'utf8').split(' ');
      // Made and not written yet: or who made it was killed in between.
      if (start === undefined) return NativeDate.now() - nativeFs.statSync(file).mtimeMs < CLAIMING_MS;
      return start === '' ? answers(Number(pid)) : processStart(Number(pid)) === start;
    } catch {
      return true;
    }
  }
}
