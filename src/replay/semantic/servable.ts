/** What a tape may hold that is not answered by meaning, by name: such a run is replayed exactly or not at all. */
import type { Kind } from '../../model/event.ts';
import { bufferConcat } from '../../runtime/natives.ts';
import type { Recording } from './recording.ts';

const NAMES: Readonly<Partial<Record<Kind, string>>> = {
  server: 'a server of the program (inbound connections)', udp: 'UDP sockets', worker: 'worker threads', port: 'message ports', broadcast: 'BroadcastChannel',
  shared: 'waiting on shared memory', ipc: 'messages to the parent process', addon: 'work of a native addon',
};
const PREFACE = 'PRI * HTTP/2.0';

export function unservable({ events, connections, outputs }: Recording): string[] {
  const names = new Set<string>();
  for (const event of events) if (event.type === 'start') names.add(NAMES[event.kind] ?? '');
  for (const { tunnel, protocol, operation } of connections.values()) {
    if (tunnel !== undefined) names.add(`connections that become ${tunnel}`);
    if (protocol === 'other' && bufferConcat((outputs.get(operation) ?? []).map(({ data }) => data)).subarray(0, PREFACE.length).latin1Slice() === PREFACE) names.add('HTTP/2');
  }
  names.delete('');
  return [...names];
}
