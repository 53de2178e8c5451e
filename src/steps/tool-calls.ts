/** The tool calls that a model asked for, found again in what the program told it next. */
import { nativeCrypto } from '../runtime/natives.ts';
import { asText, canonicalJson, parseShallowJson } from './json.ts';
import type { Draft } from './lane/draft.ts';
import { contentText, type Message, type ToolCall } from './providers/provider.ts';
import { servedBy } from './served-by.ts';
import type { ModelToolCall, StepError } from './step.ts';

/** @returns the calls of each model step, by its number, in the order of its answer. */
export function modelToolCalls(drafts: readonly Draft[], parents: ReadonlyMap<number, Draft | undefined>): Map<number, ModelToolCall[]> {
  const ledger = new Ledger();
  for (const draft of drafts) ledger.add(draft);
  const served = servedBy(ledger.calls, drafts, parents);
  const bySteps = new Map<number, ModelToolCall[]>(drafts.filter((draft) => draft.conversation).map((draft) => [draft.seq, []]));
  for (const call of ledger.calls) bySteps.get(call.askedAt)?.push({ ...call.asked, ...resultOf(call.answer), answeredAt: call.answeredAt, ...(served.get(call) ?? { servedBy: [], servedByBasis: null }) });
  return bySteps;
}

interface Asked {
  readonly asked: ToolCall;
  readonly askedAt: number;
  /** Last event of the answer that asked. */
  readonly from: number;
  /** Fingerprint of all that the model had been told. */
  readonly context: string;
  answer: Message | null;
  answeredAt: number | null;
  /** Where the next model call of the lane opens: a call that nobody answered is given up there. */
  until: number;
}

/** Pairs questions and answers in the order of the lane. */
class Ledger {
  readonly calls: Asked[] = [];
  /** By what the model had been told. */
  readonly #byContext = new Map<string, Asked[]>();
  /** Not answered so far. */
  readonly #waiting: Asked[] = [];

  add({ seq, conversation }: Draft): void {
    if (!conversation) return;
    const { messages, answer, heard } = conversation;
    const contexts = prefixes(messages);
    for (const call of this.#waiting) if (call.until === Infinity) call.until = seq;
    for (const told of resultsIn(messages, contexts)) this.#answer(told, seq);
    for (const asked of answer?.toolCalls ?? []) {
      const call: Asked = { asked, askedAt: seq, from: heard, context: contexts.at(-1) ?? '', answer: null, answeredAt: null, until: Infinity };
      this.calls.push(call);
      this.#waiting.push(call);
      this.#byContext.set(call.context, [...(this.#byContext.get(call.context) ?? []), call]);
    }
  }

  #answer(told: Told, seq: number): void {
    // Prompts repeat the whole history: what was answered before is not answered again.
    const exact = (this.#byContext.get(told.context ?? '') ?? []).filter((call) => fits(call.asked, told));
    const call = (exact.length > 0 ? exact : this.#waiting).find((candidate) => candidate.answer === null && fits(candidate.asked, told));
    if (!call) return;
    call.answer = told.message;
    call.answeredAt = seq;
    call.until = seq;
    this.#waiting.splice(this.#waiting.indexOf(call), 1);
  }
}

interface Told {
  readonly message: Message;
  /** The call in the history that it answers. */
  readonly echo: ToolCall | null;
  /** Fingerprint of what came before that call. */
  readonly context: string | null;
}

/** Each tool message with the call before it that it answers: by id, else by name, else the first. */
function resultsIn(messages: readonly Message[], contexts: readonly string[]): Told[] {
  let open: { call: ToolCall; context: string }[] = [];
  return messages.flatMap((message, index): Told[] => {
    if (message.toolCalls) open = message.toolCalls.map((call) => ({ call, context: contexts[index] as string }));
    if (message.role !== 'tool') return [];
    const { toolCallId = null, name } = message;
    const echo = toolCallId === null
      ? (open.find(({ call }) => call.name === name) ?? (name ? undefined : open[0]))
      : open.find(({ call }) => call.id === toolCallId);
    open = open.filter((other) => other !== echo);
    return [{ message, echo: echo?.call ?? null, context: echo?.context ?? null }];
  });
}

function fits(asked: ToolCall, { message, echo }: Told): boolean {
  if (message.toolCallId !== undefined && asked.id !== null) return asked.id === message.toolCallId;
  if (echo) return asked.name === echo.name && canonicalJson(asked.args) === canonicalJson(echo.args);
  return message.name === undefined || message.name === '' || message.name === asked.name;
}

/** @returns for every length of history, none to all, what stands for it. */
function prefixes(messages: readonly Message[]): string[] {
  let before = '';
  return ['', ...messages.map(({ role, content, toolCalls = [], toolCallId }) => {
    before = nativeCrypto.createHash('sha256').update(before).update(canonicalJson([role, content === '' ? null : content, toolCalls, toolCallId])).digest('hex');
    return before;
  })];
}

function resultOf(answer: Message | null): { result: unknown; error: StepError | null } {
  if (!answer) return { result: null, error: null };
  if (answer.isError) return { result: null, error: { code: 'TOOL_ERROR', message: contentText(answer.content) } };
  const text = asText(answer.content);
  return { result: text !== null && /^\s*[[{]/.test(text) ? (parseShallowJson(text) ?? text) : answer.content, error: null };
}
