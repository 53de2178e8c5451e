/** Which recordings are to be verified: runs of a store, or bundles. */
import { ConfigError } from '../../model/error.ts';
import type { RunManifest } from '../../model/run.ts';
import type { RunStore } from '../../store/run-store.ts';
import { helpFor } from '../help.ts';
import { bundleFiles, isBundle, type OpenBundle, openBundles } from './bundles.ts';
import type { VerifiedRun } from './result.ts';
import { rootRuns, taggedRuns } from './select.ts';
import type { Subject } from './verify-runs.ts';

export interface Choice {
  readonly runs: RunStore;
  /** Of the store, as the processes that replay its runs are told. */
  readonly location: string;
  /** Runs, bundles, and folders of bundles. */
  readonly names: readonly string[];
  readonly all?: boolean | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly command: readonly string[] | undefined;
}

export interface Chosen {
  readonly runs: readonly (Subject | VerifiedRun)[];
  readonly bundles: readonly OpenBundle[];
}

/** Oldest first: what was recorded first is what the others were recorded after. @param folder for what is in bundles @throws ConfigError */
export async function choose({ runs: stored, location, names, all = false, tags, command }: Choice, folder: string): Promise<Chosen> {
  const files = names.filter(isBundle);
  const ways = [names.length > 0, all, tags !== undefined && files.length === 0].filter(Boolean).length;
  if (ways !== 1 || (tags !== undefined && files.length < names.length)) throw new ConfigError(`verify takes runs, or --all, or --tag, or bundles${ways === 0 ? '' : ': one of them; --tag may go with bundles'}.\n\n${helpFor('verify')}`);
  if (files.length > 0 && !command) throw new ConfigError(`verify: what a bundle recorded of its command is not executed here. Say where your copy of the program lies: replay-harness verify ${files[0] as string}${files.length > 1 ? ' …' : ''} -- node PATH [ARGS…]`);
  const opened = openBundles(bundleFiles(files), folder);
  const bundles = opened.filter((bundle): bundle is OpenBundle => 'manifest' in bundle);
  if (tags !== undefined && files.length > 0) return tagged(opened, bundles, tags);
  const runs: RunManifest[] = [];
  for (const selector of names.filter((argument) => !isBundle(argument))) runs.push((await stored.find(selector)).manifest);
  if (names.length === 0) {
    const all = await stored.list();
    runs.push(...(tags === undefined ? rootRuns(all) : taggedRuns(all, tags, stored.location)).reverse());
  }
  // A gate that holds nothing back is no gate.
  if (runs.length + opened.length === 0) throw new ConfigError(`The store ${stored.location} holds no recorded run to verify. Record one: replay-harness record -- node agent.js`);
  return { runs: [...runs.map((manifest) => ({ manifest, store: location })), ...opened], bundles };
}

/** What cannot be opened may have any tag. @throws ConfigError */
function tagged(opened: readonly (OpenBundle | VerifiedRun)[], bundles: readonly OpenBundle[], tags: Readonly<Record<string, string>>): Chosen {
  const runs = opened.filter((one) => !('manifest' in one) || Object.entries(tags).every(([name, value]) => one.manifest.tags[name] === value));
  if (runs.length === 0) throw new ConfigError(`None of the ${opened.length} bundles has the tag${Object.keys(tags).length > 1 ? 's' : ''} ${Object.entries(tags).map(([name, value]) => `${name}=${value}`).join(', ')}. Tags are given when a run is recorded: replay-harness record --tag suite=ci -- CMD`);
  return { runs, bundles };
}
