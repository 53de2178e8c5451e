/** Database drivers, from where the agents of the tests have them. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PACKAGES } from '../../support/paths.ts';

const load = createRequire(join(PACKAGES, 'package.json'));

/** What a driver is or makes: its types are not installed. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Untyped = any;

/** @returns what the package exports */
export const driver = (name: 'pg' | 'pg-cursor' | 'pg-copy-streams' | 'postgres' | 'ioredis' | 'redis'): Untyped => load(name) as unknown;
