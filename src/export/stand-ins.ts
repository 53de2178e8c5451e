/** Runs without their secrets: what leaves this machine. */
import type { Config } from '../model/config.ts';
import type { LaneEvent } from '../model/event.ts';
import type { RunManifest, Underivable } from '../model/run.ts';
import { findSecrets } from '../store/masking/find-secrets.ts';
import { createMasker } from '../store/masking/masker.ts';
import type { Secret } from '../store/masking/secret.ts';
import { maskTape } from '../store/masking/tape.ts';

export interface RecordedRun {
  readonly manifest: RunManifest;
  /** The main thread first. */
  readonly lanes: readonly { readonly lane: number; readonly events: readonly LaneEvent[]; readonly sealed: boolean }[];
  /** undefined where nothing was written. */
  readonly runKey: Buffer | undefined;
}

export interface MaskedRun extends RecordedRun {
  readonly underivable: readonly Underivable[];
}

/** What one run tells of a secret is true in all of them: a child may print what its parent sends as a credential. */
export function maskRuns(runs: readonly RecordedRun[], mask: Config['mask']): MaskedRun[] {
  const secrets = new Map<string, Secret>();
  for (const { lanes } of runs) for (const { events } of lanes) for (const secret of findSecrets(events, mask)) if (!secrets.has(secret.value)) secrets.set(secret.value, secret);
  return runs.map((run) => masked(run, [...secrets.values()]));
}

function masked(run: RecordedRun, secrets: readonly Secret[]): MaskedRun {
  const { manifest, lanes, runKey } = run;
  // It came without secrets: what stands for them must stay what it is.
  if (manifest.imported?.content === 'stand-ins' || !runKey) return { ...run, underivable: manifest.imported?.underivable ?? [] };
  const masker = createMasker(secrets, runKey);
  const underivable: Underivable[] = [];
  const without = lanes.map(({ lane, events, sealed }) => {
    const tape = maskTape(events, masker);
    underivable.push(...tape.underived.map(({ seq, what, why }) => ({ lane, event: seq, what: `${what}: ${why}` })));
    return { lane, events: tape.events, sealed };
  });
  const { name, agent, tags, uncaptured } = manifest;
  return { ...run, manifest: { ...manifest, ...(masker.json({ name, agent, tags, uncaptured }) as Pick<RunManifest, 'name' | 'agent' | 'tags' | 'uncaptured'>) }, lanes: without, underivable };
}
