/** The contract's report as a file. */
import { accessSync, constants, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Report } from '../../model/divergence.ts';
import { ConfigError } from '../../model/error.ts';
import type { Kind } from '../sandbox/sandbox.ts';

export function readReport(file: string, sandbox: Kind): Report | undefined {
  return existsSync(file) ? { ...(JSON.parse(readFileSync(file, 'utf8')) as Report), sandbox } : undefined;
}

/** Before the replay, which may take long. @throws ConfigError */
export function requireWritable(report: string | undefined): void {
  if (report === undefined) return;
  try {
    const isThere = existsSync(report);
    if (report === '' || (isThere && statSync(report).isDirectory())) throw new Error('it is a folder');
    if (!isThere && !statSync(dirname(report)).isDirectory()) throw new Error(`${dirname(report)} is a file`);
    accessSync(isThere ? report : dirname(report), constants.W_OK);
  } catch (error) {
    throw unwritable(report, error);
  }
}

function unwritable(report: string, error: unknown): ConfigError {
  return new ConfigError(`The report cannot be written to "${report}": ${(error as Error).message}. --report takes the path of a file, in a folder that exists.`);
}

/** @throws ConfigError */
export function writeReport(file: string, report: Report): void {
  try {
    writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  } catch (error) {
    throw unwritable(file, error);
  }
}
