/** Visits a service from a process of its own, once it has said where it listens. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

const VISIT = join(import.meta.dirname, 'visit.mjs');
const ADDRESS = /listening on (\S+)/;

/** @returns what the visitors saw, when they have left; the empty text where the program never listened */
export function visits(name: string, service: ChildProcess, stdout: () => Buffer, env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const address = ADDRESS.exec(stdout().toString())?.[1];
      if (address === undefined) return;
      service.stdout?.off('data', look);
      service.off('close', never);
      const visitor = spawn(process.execPath, ['--no-warnings', VISIT, name, address, String(service.pid)], { env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
      let [seen, failed] = ['', ''];
      visitor.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString()));
      visitor.stderr.on('data', (chunk: Buffer) => (failed += chunk.toString()));
      visitor.once('error', reject).once('close', (code) => {
        if (code === 0) return resolve(seen);
        service.kill('SIGKILL');
        reject(new Error(`the visitors ${name} ended with ${code}: ${failed}`));
      });
    };
    const never = (): void => resolve('');
    service.stdout?.on('data', look);
    service.once('close', never);
  });
}
