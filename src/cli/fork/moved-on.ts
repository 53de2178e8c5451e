/** What is no longer as the program found it: the world that a fork goes on in is not the one of the recording. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { MovedOn } from '../../model/divergence.ts';
import type { RunFacts } from '../../model/event.ts';
import { asObject, asText } from '../../steps/json.ts';
import type { Step } from '../../steps/step.ts';

const HOUR_MS = 3_600_000;

/**
 * @param steps of the recorded part, up to the step that the fork begins at
 * @param shown a text without the recording's secrets
 */
export function movedOn(steps: readonly Step[], { cwd, startedAt }: Pick<RunFacts, 'cwd' | 'startedAt'>, shown: (text: string) => string): MovedOn {
  // What was read last is what the program has.
  const read = new Map<string, Buffer>();
  for (const { boundary, input, output } of steps) {
    const { operation, path } = asObject(input);
    const content = boundary === 'fs' && operation === 'readFile' && !/^\/(?:proc|sys|dev)\//.test(String(path)) ? contentOf(asObject(output)['content']) : undefined;
    if (content && typeof path === 'string') read.set(path, content);
  }
  const files = [...read].flatMap(([path, content]): MovedOn['files'] => {
    const change = changeOf(resolve(cwd, path), content);
    return change ? [{ path: shown(path), change }] : [];
  });
  const last = steps.at(-1);
  const clock = last ? Date.parse(last.startedAt) : startedAt;
  return { clockBehindMs: Math.max(0, Math.round(Date.now() - clock)), files };
}

/** @returns a line for people, indented; '' where nothing is worth one */
export function movedOnLine({ clockBehindMs, files }: MovedOn, liveCalls: number): string {
  const changed = files.map(({ path, change }) => `${path} ${change === 'gone' ? 'is gone' : 'has changed'}`);
  // Whoever is asked for real sees a clock that is late.
  const late = clockBehindMs >= HOUR_MS && liveCalls > 0 ? [`the program's clock is ${spanOf(clockBehindMs)} behind`] : [];
  const all = [...changed, ...late];
  return all.length === 0 ? '' : `  since the recording: ${all.slice(0, SHOWN).join(', ')}${all.length > SHOWN ? `, and ${all.length - SHOWN} more` : ''}\n`;
}

const SHOWN = 10;

function spanOf(ms: number): string {
  const hours = Math.round(ms / HOUR_MS);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

function contentOf(content: unknown): Buffer | undefined {
  if (typeof content === 'string') return Buffer.from(content);
  const base64 = asText(asObject(content)['base64']);
  return base64 === null ? undefined : Buffer.from(base64, 'base64');
}

function changeOf(file: string, content: Buffer): MovedOn['files'][number]['change'] | undefined {
  try {
    // Others never end, or are never the same.
    if (!statSync(file).isFile()) return undefined;
    return readFileSync(file).equals(content) ? undefined : 'changed';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'gone' : undefined;
  }
}
