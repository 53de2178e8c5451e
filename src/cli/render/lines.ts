/** What a trajectory is made of. */
import type { StepError } from '../../steps/step.ts';
import type { Conversation } from './conversation.ts';
import { oneLine, type Paint } from './text.ts';

export interface Line {
  /** What sort of step; empty on its further lines. */
  readonly tag: string;
  readonly text: string;
}

export interface Limits {
  readonly lines: number;
  readonly columns: number;
}

export interface Context {
  readonly paint: Paint;
  /** undefined: everything is wanted. */
  readonly limits: Limits | undefined;
  readonly conversation: Conversation;
}

export function errorText({ code, message }: StepError): string {
  return code === message ? code : `${code}: ${oneLine(message, 240)}`;
}
