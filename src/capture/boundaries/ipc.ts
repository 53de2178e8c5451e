/** The channel to the parent process of a program that was forked itself. The runtime has opened it, and reads from it, before anything of ours runs. */
import { jsonStringify, ownKeys } from '../../runtime/natives.ts';
import type { Session } from '../session.ts';
import type { Handles } from './handles.ts';
import type { StreamHandle } from './streams.ts';

type Channel = StreamHandle & Record<symbol, unknown>;

function bySymbol(object: object, description: string): unknown {
  const key = ownKeys(object).find((candidate): candidate is symbol => typeof candidate === 'symbol' && candidate.description === description);
  return key && (object as Record<symbol, unknown>)[key];
}

function channelOf(): Channel | undefined {
  return process.channel ? (bySymbol(process, 'kChannelHandle') as Channel | undefined) : undefined;
}

/** How messages are written on it; undefined for a program that was not forked. */
export function ipcOf(): 'json' | 'advanced' | undefined {
  const channel = channelOf();
  if (!channel) return undefined;
  return bySymbol(channel, 'kMessageBuffer') === undefined ? 'json' : 'advanced';
}

export function installIpc(session: Session, handles: Handles): void {
  const channel = channelOf();
  if (!channel) return;
  // An earlier preload of the user's may have given the loop time to turn.
  const early = bySymbol(process.channel as object, 'kPendingMessages');
  if (Array.isArray(early) && early.length > 0) session.mayDiffer('messages of the parent process that came before replay-harness was loaded (IPC)');
  handles.adoptReading(channel, 'ipc', jsonStringify([ipcOf()]));
}
