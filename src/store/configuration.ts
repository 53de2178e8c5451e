/** Configuration of this process: flags win over environment, environment over file. */
import { type Config, parseConfig } from '../model/config.ts';
import { ConfigError } from '../model/error.ts';
import { nativeFs } from '../runtime/natives.ts';
import type { Environment } from './keyring.ts';
import { isServer, requirePlace } from './location.ts';

export const CONFIG_FILE = 'replay-harness.json';

/** @throws ConfigError */
export function loadConfig(env: Environment, folder: string): Config {
  const given = env['REPLAY_HARNESS_CONFIG'];
  if (given !== undefined) {
    if (!nativeFs.existsSync(given)) throw new ConfigError(`REPLAY_HARNESS_CONFIG names ${given}, which does not exist.`);
    return parseConfig(read(given), given);
  }
  for (let at = folder; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const file = `${at}/${CONFIG_FILE}`;
    if (nativeFs.existsSync(file)) return parseConfig(read(file), file);
    if (at === '') return {};
  }
}

function read(file: string): string {
  try {
    return nativeFs.readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`The configuration ${file} cannot be read: ${(error as Error).message}.`);
  }
}

/** The store: absolute, so that a later chdir does not move it. @throws ConfigError when it looks like a URL and is none of a server's */
export function storeLocation(flag: string | undefined, env: Environment, config: Config, folder: string): string {
  const location = flag ?? env['REPLAY_HARNESS_STORE'] ?? config.store ?? '.replay';
  requirePlace(location);
  return location.startsWith('/') || isServer(location) ? location : `${folder}/${location}`;
}
