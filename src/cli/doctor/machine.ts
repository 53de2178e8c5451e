/** What this machine can do for recordings and replays. */
import { accessSync, constants, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { recipientOf } from '../../journal/crypto.ts';
import { HarnessError } from '../../model/error.ts';
import { loadConfig } from '../../store/configuration.ts';
import { identities, keyFolder } from '../../store/keyring.ts';
import type { RunStore } from '../../store/run-store.ts';
import { runConfined } from '../sandbox/sandbox.ts';
import { viewOf } from '../sandbox/view.ts';
import { FolderRuns } from '../../store/folder-runs.ts';
import type { Finding, Rule } from './finding.ts';
import packageJson from '../../../package.json' with { type: 'json' };

export const MACHINE_RULES: readonly Rule[] = ['machine-node', 'machine-sandbox', 'machine-store', 'machine-keys'];

export interface Machine {
  readonly findings: readonly Finding[];
  /** What is as it should be: for people. */
  readonly good: readonly string[];
}

type Looked = string | Omit<Finding, 'run' | 'step' | 'where'>;

export async function examineMachine(runs: RunStore): Promise<Machine> {
  const looked = [node(), await sandbox(), await store(runs), keys()];
  return {
    findings: looked.flatMap((one) => (typeof one === 'string' ? [] : [{ ...one, run: null, step: null, where: '' }])),
    good: looked.filter((one) => typeof one === 'string'),
  };
}

/** The line of a major version that recordings are made on. */
const LINES: readonly string[] = ['20', '22', '24', '26'];

function node(): Looked {
  const [major = '', minor = '0'] = process.versions.node.split('.');
  if (Number(major) < 20 || (major === '20' && Number(minor) < 20)) return { rule: 'machine-node', effect: 'stops', what: `Node ${process.version} is older than what replay-harness records (${packageJson.engines.node})`, wayOut: 'install Node 20.20 or newer' };
  if (!LINES.includes(major)) return { rule: 'machine-node', effect: 'differs', what: `Node ${process.version} is of a line that replay-harness is not tested on (${LINES.join(', ')})`, wayOut: `take one of the lines ${LINES.join(', ')} for programs that are to be recorded` };
  return `Node ${process.version}`;
}

/** Tried, as a replay tries it. */
async function sandbox(): Promise<Looked> {
  const folder = mkdtempSync(join(tmpdir(), 'replay-harness-'));
  try {
    const cwd = process.cwd();
    const launch = { command: '/bin/sh', args: ['-c', ':'], cwd, inject: false, env: process.env, control: { mode: 'replay', store: folder, run: '' }, stdio: 'ignore' } as const;
    const { kind, reasons } = await runConfined({ mode: 'auto', view: () => viewOf({ cwd, folder, read: [cwd], bound: [] }, process.env), inside: launch, outside: launch, folder, wire: () => {} });
    if (kind !== 'process') return `a sandbox of the system for replays (${kind})`;
    return { rule: 'machine-sandbox', effect: 'differs', what: `no sandbox of the system can be made (${reasons.join('; ')}): replays have the guards in the process alone`, wayOut: 'install bubblewrap, or run where user namespaces are allowed (docs/sandbox.md has recipes for Docker and systemd-nspawn)' };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function store(runs: RunStore): Promise<Looked> {
  try {
    const count = (await runs.list()).length;
    if (runs instanceof FolderRuns) requireWritable(runs.location);
    return `the store ${runs.location} (${count} run${count === 1 ? '' : 's'})`;
  } catch (error) {
    const why = (error as Error).message.replace(/\.$/, '');
    return { rule: 'machine-store', effect: 'stops', what: error instanceof HarnessError ? why : `the store ${runs.location} cannot be written: ${why}`, wayOut: 'name a store that can be reached and written: --store, REPLAY_HARNESS_STORE, or "store" in replay-harness.json' };
  }
}

/** @throws Error of the file system */
function requireWritable(folder: string): void {
  let at = folder;
  while (!existsSync(at)) at = dirname(at);
  if (!statSync(at).isDirectory()) throw new Error(`${at} is a file`);
  accessSync(at, constants.W_OK);
}

/** Makes none: that is for whoever records. */
function keys(): Looked {
  const wayOut = 'replay-harness keys makes a pair; on a host that is to read what another one recorded, set REPLAY_HARNESS_IDENTITY to the private key';
  try {
    const configured = process.env['REPLAY_HARNESS_RECIPIENT'] ?? loadConfig(process.env, process.cwd()).recipient;
    const own = identities(process.env);
    if (own.length > 0) return `a private key that opens recordings (${(recipientOf(own[0] as string)).slice(0, 22)}…)`;
    if (configured !== undefined) return { rule: 'machine-keys', effect: 'stops', what: 'this host has a public key alone: it records, and cannot replay what it recorded', wayOut };
    const folder = keyFolder(process.env);
    let at = folder;
    while (!existsSync(at)) at = dirname(at);
    accessSync(at, constants.W_OK);
    return `no key pair yet; the first recording makes one in ${folder}`;
  } catch (error) {
    return { rule: 'machine-keys', effect: 'stops', what: `there is no key to record or read with: ${(error as Error).message.replace(/\.$/, '')}`, wayOut };
  }
}
