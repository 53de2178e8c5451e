// A message bus inside one process: an agent gets what is sent to its name, a moment later and without
// waiting for what it is still busy with.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const HOP_MS = 40;
const handlers = new Map();
const running = new Set();

export function subscribe(name, handler) {
  handlers.set(name, handler);
}

/** Resolves when the message has been handed over. */
export async function send(from, to, subject) {
  const id = randomUUID().slice(0, 8);
  await sleep(HOP_MS);
  console.log(`${new Date().toISOString()} ${from.padStart(8)} → ${to.padEnd(8)} ${subject} [${id}]`);
  const handling = handlers.get(to)(subject).finally(() => running.delete(handling));
  running.add(handling);
}

/** Resolves when no agent is busy any more. */
export async function drained() {
  while (running.size > 0) await Promise.all(running);
}
