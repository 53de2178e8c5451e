/** A stop of a partial replay, for people. */
import type { Step } from '../../steps/step.ts';
import { oneLine, visible } from '../render/text.ts';
import type { Frame, Standing, Variable } from './frames.ts';

const WIDTH = 160;
/** Frames that are shown with what their variables hold. */
const WITH_VARIABLES = 6;

export interface ShownStop {
  readonly runId: string;
  readonly step: Step;
  /** What the program does where it stands. */
  readonly asks: string;
  readonly standing: Standing;
  /** The frames are those of the call that the step came from. */
  readonly isEarlier: boolean;
}

/** Lines without the harness's name before them, save the first. */
export function renderStop({ runId, step, asks, standing, isEarlier }: ShownStop): string[] {
  return [
    `replay-harness: stopped before step ${step.step} of ${runId} is answered`,
    `  ${step.step}  ${step.kind}  ${visible(oneLine(`${step.name} ${step.summary.startsWith(step.name) ? step.summary.slice(step.name.length) : step.summary}`, WIDTH))}`,
    `  asks for ${visible(oneLine(asks, WIDTH))}`,
    ...renderStanding(standing, isEarlier),
  ];
}

export function renderStanding({ frames, module, behind }: Standing, isEarlier: boolean): string[] {
  const lines = frames.flatMap((frame, index) => [place(index === 0 ? 'in' : '  ', frame), ...(index < WITH_VARIABLES ? frame.variables.map(variableLine) : [])]);
  const none = frames.length === 0 ? ['  no code of the agent is on the stack'] : [];
  return [
    ...(isEarlier && frames.length > 0 ? ['  which the agent’s own code led to by this call:'] : none),
    ...lines,
    ...(module.length > 0 ? ['  module', ...module.map(variableLine)] : []),
    ...behind.map((frame, index) => `  ${index === 0 ? 'awaited by' : '          '} ${visible(frame)}`),
  ];
}

function place(before: string, { name, place: at }: Frame): string {
  return `  ${before} ${visible(name === '' ? '(anonymous)' : name)} (${visible(at)})`;
}

function variableLine({ name, value }: Variable): string {
  return `       ${visible(name)} = ${visible(oneLine(value, WIDTH))}`;
}
