/** What a user is told when a store fails; never with a password. */
import { ForbiddenError, HarnessError, StoreUnavailableError } from '../../model/error.ts';
import { withoutPassword } from '../location.ts';

interface Failure {
  readonly code?: unknown;
  readonly message?: unknown;
}

/** Codes of PostgreSQL (by their beginnings) and of Node that mean: there is no store to talk to. */
const UNREACHABLE: readonly (readonly [RegExp, string])[] = [
  [/^(28P01|28000)$/, 'the server refuses this login or its password. Check the user and password in the store’s URL (REPLAY_HARNESS_STORE, --store or "store" in the configuration)'],
  [/^3D000$/, 'the server has no such database. Create it, or name another in the store’s URL'],
  [/^53300$/, 'the server has no connection left. Try again, or raise its max_connections'],
  [/^53100$/, 'the server’s disk is full'],
  [/^53\w{3}$/, 'the server has not enough memory, or another of its resources is used up'],
  [/^25006$/, 'the server takes no writes now: it is a standby, or was set to read only'],
  [/^(40001|40P01|55P03|57014)$/, 'the server ended a statement that others were in the way of, or that took too long. Try again'],
  [/^57P0[1-3]$/, 'the server is starting, stopping or was stopped. Try again when it is up'],
  [/^ENOTFOUND|^EAI_/, 'no server of that name is known. Check the host in the store’s URL'],
  [/^ECONNREFUSED$/, 'nothing answers at that host and port; the server may be down'],
  [/^(08\w{3}|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOENT|EACCES)$/, 'the connection failed'],
  [/^58\w{3}$|^XX\w{3}$/, 'the server reports an error of its own'],
];

const BY_MESSAGE = /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|server does not support SSL|certificate|SASL/i;

/** @returns an error for people where the store cannot be reached; any other error as it is */
export function explainFailure(error: unknown, location: string): unknown {
  if (error instanceof HarnessError) return error;
  const { code, message } = flat(error);
  const where = withoutPassword(location);
  const known = UNREACHABLE.find(([pattern]) => pattern.test(code))?.[1];
  if (known !== undefined) return Object.assign(new StoreUnavailableError(`The store ${where} cannot be reached: ${known}. (${code}: ${message})`), { cause: error });
  if (BY_MESSAGE.test(message)) return new StoreUnavailableError(`The store ${where} cannot be reached: ${message}.`);
  if (code === '42501') return new ForbiddenError(`The login of the store ${where} may not do that: ${message}. Roles and what each may do: docs/store.md.`);
  return error;
}

/** Several addresses were tried: the first failure speaks for all. */
function flat(error: unknown): { code: string; message: string } {
  const { code, message } = (error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error) as Failure;
  return { code: typeof code === 'string' ? code : '', message: typeof message === 'string' ? message : String(error) };
}
