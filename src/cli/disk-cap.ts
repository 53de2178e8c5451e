/** The disk cap of a store in a folder, which `record` keeps to. */
import { HarnessError } from '../model/error.ts';
import { diskCap } from '../model/retention.ts';
import { loadConfig } from '../store/configuration.ts';
import type { EmbeddedStore } from '../store/embedded.ts';
import { planOf } from '../store/retention/plan.ts';
import { treesOf } from '../store/retention/trees.ts';
import { configuredPlace } from './archived.ts';
import { FolderUpkeep } from './folder-upkeep.ts';
import { carryOut, sizeText } from './leaving.ts';

/** After a recording. What has to be archived is left to `prune`: that may take long. */
export async function keepToCap(store: EmbeddedStore): Promise<void> {
  try {
    const config = loadConfig(process.env, process.cwd());
    const cap = diskCap(config.limits);
    if (cap === Infinity || !store.isFolder()) return;
    const upkeep = new FolderUpkeep(store);
    const actions = planOf(treesOf(store), { ...(config.retention?.to !== undefined && { retention: { to: config.retention.to, payload: 'forever', archive: 'forever' } }), cap, now: Date.now() });
    if (actions.length === 0) return;
    const reached = `replay-harness: the disk cap of the store (${sizeText(cap)}) is reached:`;
    if (actions.some((action) => action.do === 'archive')) return void process.stderr.write(`${reached} replay-harness prune archives the oldest\n`);
    const ids = (await carryOut(upkeep, actions, () => configuredPlace(config, store))).map(({ run }) => run);
    process.stderr.write(`${reached} removed the recording${ids.length > 1 ? 's' : ''} of ${ids.slice(0, NAMED).join(', ')}${ids.length > NAMED ? `, and ${ids.length - NAMED} more` : ''}\n`);
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    process.stderr.write(`replay-harness: the disk cap of the store could not be kept: ${error.message}\n`);
  }
}

/** More would hide the line's end. */
const NAMED = 5;
