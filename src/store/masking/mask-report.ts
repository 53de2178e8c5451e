/** What a divergence shows: of the recording, and of what the program asks for now. */
import type { Config } from '../../model/config.ts';
import type { Report } from '../../model/divergence.ts';
import type { LaneEvent } from '../../model/event.ts';
import { findSecrets } from './find-secrets.ts';
import { Findings } from './findings.ts';
import { findInValue } from './in-text.ts';
import { createMasker } from './masker.ts';
import { maskRules } from './rules.ts';

const NOT_SHOWN = '(not shown: it could not be masked)';

/** @param events of all lanes of the recording @param key as for the masker of the run */
export function maskReport<R extends Report>(report: R, events: readonly LaneEvent[], { mask, key }: { readonly mask?: Config['mask']; readonly key?: Uint8Array | undefined }): R {
  if (report.expected === null && report.actual === null && report.firstDifference === null) return report;
  try {
    const { expected, actual, firstDifference } = report;
    const drawnFrom = key ?? Buffer.from(report.runId);
    const known = createMasker(findSecrets(events, mask), drawnFrom);
    const masked = known.json({ expected, actual, firstDifference }) as Pick<Report, 'expected' | 'actual' | 'firstDifference'>;
    // What the program asks for now may hold a secret that the recording knows nothing of.
    const findings = new Findings();
    findInValue(Object.values(masked), maskRules(mask), findings);
    const others = findings.secrets().filter(({ value }) => !known.standIns().has(value));
    return { ...report, ...(createMasker(others, drawnFrom).json(masked) as typeof masked) };
  } catch {
    const { firstDifference } = report;
    return { ...report, expected: NOT_SHOWN, actual: NOT_SHOWN, firstDifference: firstDifference && { ...firstDifference, expected: NOT_SHOWN, actual: NOT_SHOWN } };
  }
}
