/** What failed outright, and how the program ended. */
import { answerOf, type Conversations } from '../conversation.ts';
import { asNumber, asObject, asText, preview } from '../json.ts';
import type { LlmOutput } from '../providers/provider.ts';
import type { Step } from '../step.ts';
import type { Notable } from './notable.ts';
import { shortly } from './shortly.ts';

/** Programs look for files that need not be there. */
const LOOKING = /^(?:l?stat|f?stat|access|exists|readlink|realpath)\b/;
/** Finish reasons of a whole answer. */
const WHOLE: ReadonlySet<string> = new Set(['stop', 'tool_calls']);

export function failures(steps: readonly Step[], conversations: Conversations): Notable[] {
  const retries = new Map<number, number>();
  for (const [step, { relation, since }] of conversations) if (relation === 'retry' && since !== null) retries.set(since, step);
  return [...steps.flatMap((step) => [...failureOf(step, retries.get(step.step)), ...finishOf(step)]), ...endingOf(steps)];
}

function failureOf(step: Step, retriedIn: number | undefined): Notable[] {
  const { step: number, boundary, name, error, output } = step;
  if (boundary === 'uncaptured') return [{ what: 'uncaptured', steps: [number], text: `${name} was not captured: a replay stops there` }];
  const status = asNumber(asObject(output)['status']);
  if (error && retriedIn !== undefined) return [{ what: 'retried', steps: [number, retriedIn], text: `${failureText(error)}; the same was asked again in ${retriedIn}` }];
  if (error && !(boundary === 'fs' && error.code === 'ENOENT' && LOOKING.test(name))) return [{ what: 'failed', steps: [number], text: `${name} failed: ${failureText(error)}` }];
  if (boundary === 'http' && step.kind === 'tool' && status !== null && status >= 400) {
    const body = asObject(output)['body'];
    const said = body === null || body === undefined || body === '' ? '' : `: ${shortly(typeof body === 'string' ? body : preview(body, 160))}`;
    return [{ what: 'status', steps: [number], text: `${name} was answered ${status}${said}` }];
  }
  return [];
}

function finishOf(step: Step): Notable[] {
  if (step.kind !== 'llm') return [];
  const refusal = answerOf(step)?.refusal;
  if (refusal) return [{ what: 'refused', steps: [step.step], text: `the model refused: ${shortly(refusal)}` }];
  const reason = (step.output as Partial<LlmOutput> | null)?.finishReason ?? null;
  if (reason === null || WHOLE.has(reason) || step.error) return [];
  if (reason === 'length') return [{ what: 'cut', steps: [step.step], text: 'the answer was cut off at the limit of its length (finish reason length)' }];
  if (reason === 'content_filter' || reason === 'refusal') return [{ what: 'refused', steps: [step.step], text: `the answer was withheld or refused (finish reason ${reason})` }];
  return [];
}

function endingOf(steps: readonly Step[]): Notable[] {
  const last = steps.at(-1);
  if (!last) return [];
  const exit = steps.findLast(({ boundary }) => boundary === 'exit');
  if (!exit) return [{ what: 'ending', steps: [last.step], text: 'the recording ends here, without an exit' }];
  const code = asNumber(asObject(exit.output)['code']);
  if (code === 0 || code === null) return [];
  const printed = steps.findLast((step) => (step.boundary === 'stdout' || step.boundary === 'stderr') && lastLine(step) !== '');
  return [{ what: 'ending', steps: [exit.step, ...(printed ? [printed.step] : [])], text: `exit ${code}${printed ? `; the last line on ${printed.boundary} was ${JSON.stringify(shortly(lastLine(printed)))}` : ''}` }];
}

function lastLine(step: Step): string {
  return (asText(asObject(step.output)['text']) ?? '').trim().split('\n').at(-1)?.trim() ?? '';
}

function failureText({ code, message }: { code: string; message: string }): string {
  return code === message ? code : `${code}: ${shortly(message).replace(/\.$/, '')}`;
}
