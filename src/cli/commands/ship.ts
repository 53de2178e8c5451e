/** `ship`: brings recordings from this host's spool to the server. */
import { ConfigError } from '../../model/error.ts';
import { spoolFolder } from '../../store/ingest/spool.ts';
import { isServer } from '../../store/location.ts';
import type { Shipped } from '../../store/ingest/ship.ts';
import { noRun, parse } from '../arguments.ts';

export async function ship(args: readonly string[]): Promise<number> {
  const parsed = parse('ship', args, { from: { type: 'string' }, once: { type: 'boolean' } }, { server: true });
  noRun('ship', parsed);
  const { location: url, values } = parsed;
  if (!isServer(url)) throw new ConfigError(`ship brings recordings to a server, and the store ${url} is a folder. Name the server: --store postgres://user:password@host/database`);
  const spool = values['from'] === undefined ? spoolFolder(url, process.env) : absolute(values['from'] as string);
  const { shipOn, shipOnce } = await import('./ship-work.ts');
  let exitCode = 0;
  const task = {
    url, spool,
    each: (shipped: Shipped) => {
      if (shipped.outcome === 'damaged') exitCode = 4;
      if (shipped.outcome === 'refused' && exitCode === 0) exitCode = 1;
      process.stderr.write(`replay-harness: ${lineOf(shipped)}\n`);
    },
  };
  if (values['once'] === true) {
    await shipOnce(task);
    return exitCode;
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  await shipOn(task, stop.signal, (line) => process.stderr.write(`replay-harness: ${line}\n`));
  return exitCode;
}

function absolute(folder: string): string {
  return folder.startsWith('/') ? folder : `${process.cwd()}/${folder}`;
}

function lineOf({ id, outcome, problem }: Shipped): string {
  switch (outcome) {
    case 'whole':
      return `shipped ${id}`;
    case 'tape':
      return `shipped ${id} as a sealed tape: no identity here reads it, so the server has no steps of it`;
    case 'taken':
      return `${id} is being shipped by another process`;
    default:
      return `${id} stays where it is: ${problem ?? 'it is damaged'}`;
  }
}
