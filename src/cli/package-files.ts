/** Where the files of this package lie. */
import { fileURLToPath } from 'node:url';

export const PRELOAD: string = fileURLToPath(new URL('../loader/preload.cjs', import.meta.url));
/** Where both lie. */
export const DIST: string = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
/** The command line itself; a module may be in a file beside it. */
export const CLI: string = `${DIST}/cli/main.mjs`;
