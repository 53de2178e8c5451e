/** Where the tests find what they run. HARNESS_DIST: another build than the one in this folder, for instance an unpacked tarball. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
export const DIST: string = process.env['HARNESS_DIST'] ?? join(ROOT, 'dist');
export const CLI: string = join(DIST, 'cli/main.mjs');
export const PRELOAD: Readonly<Record<'import' | 'require', readonly string[]>> = {
  import: ['--import', join(DIST, 'loader/register.mjs')],
  require: ['-r', join(DIST, 'loader/preload.cjs')],
};
export const AGENTS: string = join(ROOT, 'test/agents');
/** npm packages that only agents of some tests import, with those agents beside them. */
export const PACKAGES: string = join(ROOT, 'test/cases/packages');
export const TLS: string = join(ROOT, 'test/support/tls');

export function agentPath(agent: string): string {
  return agent.startsWith('/') ? agent : join(AGENTS, agent);
}
