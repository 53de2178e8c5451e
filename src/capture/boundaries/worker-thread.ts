/** What reaches a worker thread from the thread that started it, and what it prints: the thread's own side, in its lane. */
import { encodePosted } from '../../model/message.ts';
import { isPort } from '../../runtime/ports.ts';
import type { Session } from '../session.ts';
import type { Ports } from './ports.ts';
import { printedBytes } from './worker-stdio.ts';

export function installWorkerThread(session: Session, ports: Ports): void {
  const { isMainThread, parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  if (isMainThread) return;
  if (parentPort) ports.adopt(parentPort, 'port', '["parentPort"]');
  for (const port of encodePosted(workerData, () => 0).ports) if (isPort(port)) ports.adopt(port, 'port', '["workerData"]');
  const streams = new Map<string, number>();
  const print = (stream: 'stdout' | 'stderr', bytes: Buffer): void => {
    let operation = streams.get(stream);
    if (operation === undefined) streams.set(stream, (operation = session.operation('stdio', stream === 'stderr' ? '[2]' : '[1]', () => {})));
    session.send(operation, 'write', bytes, () => ({ code: 0, bytes: bytes.length, async: 0 }));
  };
  ports.onUnowned = (_, [message]) => {
    for (const stream of ['stdout', 'stderr'] as const) {
      const bytes = printedBytes(message, stream);
      if (bytes) print(stream, bytes);
    }
    return false;
  };
}
