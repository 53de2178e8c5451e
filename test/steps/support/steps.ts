/** The model steps of what was recorded, and both their sides. */
import { interpret, type Step } from '../../../src/steps/classify.ts';
import type { LlmInput, LlmOutput } from '../../../src/steps/providers/provider.ts';
import type { Recorded } from './traffic.ts';

export function llmSteps({ tape }: Pick<Recorded, 'tape'>): Step[] {
  return interpret(tape.events).filter((step) => step.kind === 'llm');
}

export function input(step: Step | undefined): LlmInput {
  return step?.input as LlmInput;
}

export function output(step: Step | undefined): LlmOutput {
  return step?.output as LlmOutput;
}

export async function post(url: string, body: unknown): Promise<string> {
  return await (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).text();
}
