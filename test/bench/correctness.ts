/** What was recorded, as far as it can be read off the files: calls, and secrets in clear. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CLI } from '../support/paths.ts';
import { HARNESS, type Variant } from './variants.ts';

export interface Written {
  /** LLM calls found in what was written; undefined when nothing can be said. */
  readonly calls: number | undefined;
  /** Files that hold the API key as it was sent, in text or in base64. */
  readonly secretsInClear: number;
}

/** A longer file is content (the body row), and not searched. */
const LARGEST_SEARCHED = 200e6;

export async function inspectWritten(folder: string, variant: Variant, env: Readonly<Record<string, string>>): Promise<Written> {
  const files = filesIn(folder);
  const secret = env['BENCH_KEY'] as string;
  const forms = [secret, ...base64Forms(secret)].map((form) => Buffer.from(form));
  const markers = new Set<string>();
  let secretsInClear = 0;
  for (const file of files) {
    if (statSync(file).size > LARGEST_SEARCHED) continue;
    const content = readFileSync(file);
    if (forms.some((form) => content.includes(form))) secretsInClear += 1;
    if (variant.id !== HARNESS) for (const [id] of decoded(content).matchAll(/chatcmpl-[0-9a-f-]{36}/g)) markers.add(id);
  }
  return { calls: variant.id === HARNESS ? harnessCalls(folder, env) : markers.size, secretsInClear };
}

function harnessCalls(folder: string, env: Readonly<Record<string, string>>): number | undefined {
  const [run] = JSON.parse(execFileSync(process.execPath, [CLI, 'runs', '--json', '--store', join(folder, 'store')], { env, encoding: 'utf8' })) as { llmCalls: number | null }[];
  return run?.llmCalls ?? undefined;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)).filter((file) => statSync(file).isFile());
}

/** The text, and behind it what is base64 in it. */
function decoded(content: Buffer): string {
  const text = content.toString('latin1');
  return [text, ...[...text.matchAll(/[A-Za-z0-9+/]{80,}={0,2}/g)].map(([found]) => Buffer.from(found, 'base64').toString('latin1'))].join('\n');
}

/** The middle of it at each of the three alignments. */
function base64Forms(text: string): string[] {
  return [0, 1, 2].map((shift) => Buffer.from(' '.repeat(shift) + text).toString('base64').slice(4, -4));
}
