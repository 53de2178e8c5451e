/** Ports of test servers: below those that the system gives away, so that a server which comes back finds its own free. */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const FIRST = 20_000;
/** The system gives away ports from 32768 on. */
const BEYOND = 32_768;
const ATTEMPTS = 100;

export function anyPort(): number {
  return randomInt(FIRST, BEYOND);
}

/** @param port 0: any @param start fails with EADDRINUSE where the port is taken */
export async function atPort<T>(port: number, start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(port === 0 ? anyPort() : port);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || attempt === ATTEMPTS) throw error;
      await sleep(100);
    }
  }
}
