/** Puts the harness into what a recorded program starts: its Node processes are runs of their own. */
import type { Propagate } from '../src/capture/boundaries/children.ts';
import { requireOption } from '../src/model/node-option.ts';
import { derivedId } from '../src/model/uuid.ts';
import { jsonStringify, processEnv } from '../src/runtime/natives.ts';
import { CONTROL, type Control } from './control.ts';
import { mayStartNode } from './node-programs.ts';

export type Recording = Required<Pick<Control, 'store' | 'parent' | 'recipients' | 'tags'>>;

/** The preload that this code was started by. */
const PRELOAD = `${__dirname}/preload.cjs`;

/** @param lane of the thread that starts them */
export function propagation(recording: Recording, lane = 0): Propagate {
  const injected = requireOption(PRELOAD);
  return (operation, request) => {
    if (!mayStartNode(request)) return undefined;
    const run = derivedId(`${recording.parent} ${lane === 0 ? '' : `${lane}:`}${operation}`);
    const pairs = request.envPairs ?? Object.entries(processEnv).map(([name, value]) => `${name}=${value}`);
    const options = pairs.find((pair) => pair.startsWith('NODE_OPTIONS='))?.slice('NODE_OPTIONS='.length);
    const control: Control = { ...recording, mode: 'record', run, injected, hadNodeOptions: options !== undefined };
    const others = pairs.filter((pair) => !pair.startsWith('NODE_OPTIONS=') && !pair.startsWith(`${CONTROL}=`));
    return { run, env: [...others, `NODE_OPTIONS=${injected} ${options ?? ''}`, `${CONTROL}=${jsonStringify(control)}`] };
  };
}
