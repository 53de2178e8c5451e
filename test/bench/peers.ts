/** The peers' packages, installed when they are needed. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PEERS_FOLDER } from './variants.ts';

/** @returns why they are not there, or undefined when they are */
export function installPeers(): string | undefined {
  if (isInstalled()) return undefined;
  console.error('installing the peers: npm ci --prefix test/bench --ignore-scripts');
  const { status, stderr } = spawnSync('npm', ['ci', '--prefix', PEERS_FOLDER, '--ignore-scripts', '--no-audit', '--no-fund'], { encoding: 'utf8' });
  return status === 0 ? undefined : `npm ci failed: ${stderr.trim().split('\n').at(-1)}`;
}

function isInstalled(): boolean {
  const { dependencies } = JSON.parse(readFileSync(join(PEERS_FOLDER, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
  return Object.entries(dependencies).every(([name, version]) => {
    const file = join(PEERS_FOLDER, 'node_modules', name, 'package.json');
    return existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version === version;
  });
}
