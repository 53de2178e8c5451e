/** Two prompts as a unified diff: one line of text a line, messages under headings. */
import { structuredPatch } from 'diff';
import { isObject } from '../json.ts';
import { contentText, type LlmInput } from '../providers/provider.ts';
import type { Step } from '../step.ts';

/** Unchanged lines around each change. */
const CONTEXT_LINES = 3;
/** Milliseconds; two prompts that have nothing in common are not worth more. */
const LONGEST = 2000;

/** @returns lines that begin with `@@`, ` `, `-` or `+`; none where the steps are no model calls or ask the same */
export function promptDiff(a: Step, b: Step): string[] {
  const [was, is] = [promptText(a), promptText(b)];
  if (was === null || is === null || was === is) return [];
  const patch = structuredPatch('a', 'b', was, is, '', '', { context: CONTEXT_LINES, timeout: LONGEST });
  if (!patch) return ['@@ the prompts have too little in common to show how one became the other @@'];
  return patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines.filter((line) => !line.startsWith('\\'))]);
}

function promptText({ kind, input }: Step): string | null {
  if (kind !== 'llm' || !isObject(input) || !Array.isArray(input['messages'])) return null;
  const { model, messages, tools, params } = input as unknown as LlmInput;
  return [
    `model ${String(model)}`,
    ...Object.entries(params).map(([name, value]) => `${name} ${JSON.stringify(value)}`),
    ...tools.map((tool) => `tool ${tool.name} ${JSON.stringify(tool.parameters)}`),
    ...messages.flatMap((message, index) => [
      `[${index}] ${message.role}`, contentText(message.content), ...(message.toolCalls ?? []).map(({ name, args }) => `→ ${name}(${JSON.stringify(args)})`),
    ]),
    '',
  ].join('\n');
}
