/** Follows child processes and what goes through their pipes; and the channel to the parent of a program that was forked. */
import type { DeliveryEvent, OutputEvent, StartEvent, ValueEvent } from '../../model/event.ts';
import { asList, asNumber, parseJson } from '../json.ts';
import { ChannelMessages } from './channel-messages.ts';
import type { Draft, OperationEvent, Tracker } from './draft.ts';
import { mcpDrafts } from './mcp-steps.ts';
import { type Child, processDraft } from './process-step.ts';

export class Processes implements Tracker<OperationEvent | ValueEvent> {
  readonly #cwd: string;
  readonly #children = new Map<number, Child>();
  /** By operation of the pipe. */
  readonly #pipes = new Map<number, (OutputEvent | DeliveryEvent)[]>();
  readonly #channels = new Map<number, ChannelMessages>();

  /** @param cwd folder of the program, for children that are given none */
  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  take(event: OperationEvent | ValueEvent): void {
    if (event.type === 'value') this.#spawned(event);
    else if (event.type === 'start') this.#started(event);
    else if (this.#children.has(event.operation)) this.#ofChild(this.#children.get(event.operation) as Child, event);
    else {
      this.#pipes.get(event.operation)?.push(event);
      this.#channels.get(event.operation)?.take(event);
    }
  }

  finish(): Draft[] {
    const drafts = [...this.#children.values()].flatMap((child) => {
      const spoken = [...(child.pipes.get(0) ?? []), ...(child.pipes.get(1) ?? [])].filter((event) => event.data.length > 0 && event.kind !== 'written').sort((a, b) => a.seq - b.seq);
      const mcp = mcpDrafts(spoken);
      return [processDraft(child, { steps: mcp !== undefined }), ...(mcp ?? [])];
    });
    return [...drafts, ...[...this.#channels.values()].flatMap((channel) => channel.finish())];
  }

  #started(event: StartEvent): void {
    const asked = asList(parseJson(event.key));
    if (event.kind === 'process') {
      this.#children.set(event.operation, { start: event, cwd: this.#cwd, pipes: new Map(), relayed: [] });
    } else if (event.kind === 'ipc') {
      this.#channels.set(event.operation, new ChannelMessages('parent', event));
    } else if (asked[2] === 'ipc') {
      this.#channels.set(event.operation, new ChannelMessages('child', event));
    } else {
      const seen: (OutputEvent | DeliveryEvent)[] = [];
      this.#pipes.set(event.operation, seen);
      this.#children.get(asNumber(asked[0]) ?? -1)?.pipes.set(asNumber(asked[1]) ?? -1, seen);
    }
  }

  #ofChild(child: Child, event: OutputEvent | DeliveryEvent): void {
    if (event.type === 'delivery') {
      if (event.kind === 'exited') child.exited = event;
    } else if (event.kind === 'relayed') child.relayed.push(event);
    else child.pipes.set(0, [...(child.pipes.get(0) ?? []), event]);
  }

  #spawned(event: ValueEvent): void {
    const child = this.#children.get(asNumber(asList(parseJson(event.key))[0]) ?? -1);
    if (child) child.spawned = event;
  }
}
