/** Connections of a fork on which something was asked for that it may not do, and which the program is to take for broken (`--on-refused error`). */
import { decodeError } from '../../model/value.ts';
import { ownerOf } from '../../runtime/handle-owner.ts';
import { defineProperty } from '../../runtime/natives.ts';

/** @param what was refused, in words; it is in the log, so that a replay of the fork tells the same */
export function breakConnection(handle: object, what: string): void | false {
  const socket = ownerOf<{ destroy: (error: Error) => void }>(handle);
  if (!socket) return false;
  const cause = decodeError({ errorName: 'Error', message: `a fork may not ask for ${what}`, properties: [['name', 'LiveCallBlockedError'], ['code', 'LIVE_CALL_BLOCKED']] });
  const error = decodeError({ errorName: 'Error', message: 'read ECONNRESET', properties: [['errno', -104], ['code', 'ECONNRESET'], ['syscall', 'read']] });
  defineProperty(error, 'cause', { value: cause, writable: true, enumerable: false, configurable: true });
  socket.destroy(error);
}
