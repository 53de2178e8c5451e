/** Where saved queries are found: files of the user's own, then those that come with this program. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parametersOf, parseQuery, type SavedQuery } from '../analysis/saved-query.ts';
import { ConfigError } from '../model/error.ts';

const SHIPPED = fileURLToPath(new URL('../../queries', import.meta.url));
/** In the working folder, unless the configuration names another. */
const OWN = 'queries';

/** @param name of a query, or the path of a file @param folder of the user's own @throws ConfigError */
export function savedQuery(name: string, folder: string = OWN): SavedQuery {
  const file = name.endsWith('.sql') ? resolve(name) : [folder, SHIPPED].map((each) => join(resolve(each), `${name}.sql`)).find((path) => textOf(path) !== undefined && !name.includes('/'));
  const text = file === undefined ? undefined : textOf(file);
  if (text !== undefined) return parseQuery(name, text);
  throw new ConfigError(`There is no saved query "${name}". ${name.endsWith('.sql') ? `The file ${file} cannot be read.` : `Own ones are NAME.sql in ${resolve(folder)}.`} There are:\n${listOf(folder)}`);
}

/** @returns each with what it asks and takes */
export function listOf(folder: string = OWN): string {
  const names = [...new Set([folder, SHIPPED].flatMap((each) => namesIn(resolve(each))))].sort();
  return names.map((name) => {
    const query = savedQuery(name, folder);
    return `  ${name}: ${query.description || 'no description'} ${parametersOf(query)}\n`;
  }).join('');
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => file.endsWith('.sql')).map((file) => file.slice(0, -'.sql'.length));
  } catch {
    return [];
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
