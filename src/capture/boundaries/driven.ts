/**
 * Calls that make the runtime call back while they are under way (a server's TLS engine goes on, a destroyed one fails what
 * waits): such callbacks have no turn of the loop of their own. They are values, which end with one that says so.
 */
import { bufferAlloc } from '../../runtime/natives.ts';
import type { Session } from '../session.ts';
import type { StreamState } from './streams.ts';

const KEY = '["tls.driven"]';
const END = -1;
/** Other positions are those of callbacks, and stand in the journal. */
export const WRITTEN = 100;
const NOTHING = bufferAlloc(0);

/** @returns whether the callback came while a call was under way, and was told as such */
export function toldAsDriven(state: StreamState, session: Session, which: number, data: () => Uint8Array): boolean {
  if (state.driven === 0) return false;
  session.value('handle-value', KEY, () => ({ status: which, data: data() }));
  return true;
}

/** @param call shows a recorded callback to the program, in replay */
export function drive(state: StreamState, session: Session, live: () => unknown, call: (which: number, data: Uint8Array) => void): unknown {
  state.driven++;
  let result: unknown;
  try {
    result = session.effect(live, undefined);
  } finally {
    state.driven--;
  }
  for (;;) {
    const { status, data } = session.value('handle-value', KEY, () => ({ status: END, data: NOTHING }));
    if (status === END) return result;
    call(status, data);
  }
}
