import { ConfigError } from '../../../model/error.ts';
import { terminalOf } from '../../render/terminal.ts';
import type { Reporter } from '../result.ts';
import { github } from './github.ts';
import { json } from './json.ts';
import { junit } from './junit.ts';
import { pretty } from './pretty.ts';

const REPORTERS: Readonly<Record<string, () => Reporter>> = {
  // Progress is for whoever waits; what stdout gets is the result.
  pretty: () => pretty(terminalOf(process.stdout, process.env), (text) => process.stderr.write(text)),
  json: () => json,
  junit: () => junit,
  github: () => github(process.cwd()),
};

/** @throws ConfigError */
export function reporterNamed(name: string): Reporter {
  const make = Object.hasOwn(REPORTERS, name) ? REPORTERS[name] : undefined;
  if (!make) throw new ConfigError(`--reporter takes ${Object.keys(REPORTERS).join(', ')}, not "${name}".`);
  return make();
}
