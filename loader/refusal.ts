/** Tells the command line that this process has said why it is not recorded or not replayed. */
import { HarnessError } from '../src/model/error.ts';
import { nativeFs } from '../src/runtime/natives.ts';
import type { Control } from './control.ts';

/** @param error what was said; its exit code is the contract's */
export function noteRefusal(control: Control | undefined, error?: unknown): void {
  if (control?.refusal === undefined) return;
  try {
    nativeFs.writeFileSync(control.refusal, error instanceof HarnessError ? `${error.exitCode}` : '');
  } catch {
    // The command line then says less than it could.
  }
}
