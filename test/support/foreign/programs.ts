/** Programs of this machine that are not Node, as the tests need them. */
import { spawnSync } from 'node:child_process';

const NEEDED = ['python3', 'curl'];

/** Those that this machine does not have. TEST_SERVERS=required: it has to. */
export function missingPrograms(): string[] {
  return process.env['TEST_SERVERS'] === 'required' ? [] : NEEDED.filter((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status !== 0);
}

/** Tells that tests are left out, by name. */
export function tellMissing(tests: string, missing: readonly string[]): void {
  if (missing.length > 0) console.error(`SKIPPED, no ${missing.join(' and no ')} on this machine (install Debian’s packages of that name): ${tests}`);
}
