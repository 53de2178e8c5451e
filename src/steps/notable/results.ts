/** Answers that hold little: empty lists, nothing found, errors that were told to the model as a result. */
import { emptyIn } from '../empty.ts';
import { asNumber, asObject, asText, isObject, parseShallowJson, preview } from '../json.ts';
import { contentText } from '../providers/provider.ts';
import type { ModelToolCall, Step } from '../step.ts';
import { handedOn } from '../told.ts';
import type { Notable } from './notable.ts';
import { shortly } from './shortly.ts';

const NOT_FOUND = /\b(?:not found|no (?:such|results?|match(?:es)?|entr(?:y|ies)|records?|rows|data|documents?|information)\b|does(?: not|n't) exist|nothing found|could not find)/i;
const FAILED = /^\W*(?:error|failed|failure|exception|traceback|invalid|unable to|cannot|timed? ?out|access denied|permission denied|unauthori[sz]ed|forbidden)\b/i;
/** A long text that mentions a missing thing is not about it. */
const SHORT = 300;

export function poorResults(steps: readonly Step[]): Notable[] {
  const served = new Map<number, { call: ModelToolCall; asker: number }>();
  for (const step of steps) for (const call of step.toolCalls ?? []) for (const by of call.servedBy) served.set(by, { call, asker: step.step });
  const bySteps = new Map(steps.map((step) => [step.step, step]));
  const answers = steps.flatMap((step) => emptyAnswer(step, served.get(step.step), bySteps));
  const said = new Set(answers.map(({ steps: [at] }) => at));
  const results = steps.flatMap((step) => (step.toolCalls ?? []).flatMap((call) => poorResult(step.step, call).filter(({ what }) => what !== 'empty' || !call.servedBy.some((by) => said.has(by)))));
  return [...answers, ...results];
}

function emptyAnswer(step: Step, served: { call: ModelToolCall; asker: number } | undefined, steps: ReadonlyMap<number, Step>): Notable[] {
  if (step.kind !== 'tool' || step.boundary !== 'http' || step.error) return [];
  const status = asNumber(asObject(step.output)['status']) ?? 0;
  const { body } = asObject(step.output);
  // No body at all is how much is acknowledged.
  const empty = status < 300 && body !== null && body !== '' ? emptyIn(body) : null;
  if (empty === null) return [];
  const told = served && served.call.answeredAt !== null
    ? `; it served ${served.call.name} of ${served.asker}, and in ${served.call.answeredAt} the model was told ${JSON.stringify(shortly(textOf(served.call)))}`
    : '';
  const what = served && handedOn(served.call, steps) === 'differs' ? 'told-otherwise' : 'empty';
  return [{ what, steps: [step.step, ...(served && told ? [served.asker, served.call.answeredAt as number] : [])], text: `${step.name} was answered with ${empty}${told}` }];
}

function poorResult(asker: number, call: ModelToolCall): Notable[] {
  const { name, result, error, answeredAt } = call;
  if (answeredAt === null) return [];
  const steps = [answeredAt, asker];
  if (error) return [{ what: 'tool-error', steps, text: `${name}, asked for in ${asker}, failed: ${shortly(error.message)}` }];
  const text = contentText(result).trim();
  const empty = emptyIn(isObject(result) || Array.isArray(result) ? result : (parseShallowJson(text) ?? (text === '' ? '' : text)));
  if (empty !== null) return [{ what: 'empty', steps, text: `${name}, asked for in ${asker}, returned ${empty}` }];
  const fields = asObject(result);
  const failed = asText(fields['error']) ?? (fields['success'] === false || fields['ok'] === false ? preview(result, 160) : null);
  if (failed !== null) return [{ what: 'tool-error', steps, text: `${name}, asked for in ${asker}, returned an error: ${shortly(failed)}` }];
  if (text.length > SHORT) return [];
  if (FAILED.test(text)) return [{ what: 'tool-error', steps, text: `${name}, asked for in ${asker}, returned ${JSON.stringify(shortly(text))}` }];
  return NOT_FOUND.test(text) ? [{ what: 'not-found', steps, text: `${name}, asked for in ${asker}, returned ${JSON.stringify(shortly(text))}` }] : [];
}

function textOf({ result, error }: ModelToolCall): string {
  return error?.message ?? (typeof result === 'string' ? result : preview(result, 200));
}
