/** The world of order-desk.mjs: a desk's services, and a model provider's wire format, which lies beyond this machine. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What it says in one run. */
export interface World {
  readonly status: string;
  /** Arguments of the calls that the model makes. */
  readonly refunds: readonly unknown[];
  /** Which of the two look-ups is answered first. */
  readonly first: '/orders/7' | '/customers/3';
}

export interface Desk {
  readonly url: string;
  /** From now on. */
  open(world: World): void;
}

export const QUIET: World = { status: 'shipped', refunds: [], first: '/orders/7' };

export async function desk(): Promise<Desk> {
  let world = QUIET;
  let second: (() => void) | undefined;
  let firstHasLeft = false;
  const meet = (): void => {
    if (!second || !firstHasLeft) return;
    second();
    [second, firstHasLeft] = [undefined, false];
  };
  const leave = (): void => {
    firstHasLeft = true;
    meet();
  };
  const answer = (response: ServerResponse, body: unknown): void => void response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  const calls = ({ refunds }: World): unknown => (refunds.length === 0 ? undefined : refunds.map((args, at) => ({ id: `call_${Math.random()}_${at}`, type: 'function', function: { name: 'refund', arguments: JSON.stringify(args) } })));
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const now = world;
    request.resume().on('end', () => {
      if (request.url === '/v1/chat/completions') {
        const called = calls(now);
        return answer(response, { id: `chatcmpl-${Math.random()}`, object: 'chat.completion', model: 'gpt-4o-mini-2024-07-18', choices: [{ index: 0, finish_reason: called ? 'tool_calls' : 'stop', message: { role: 'assistant', content: called ? null : 'Nothing to do.', tool_calls: called } }], usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } });
      }
      if (request.url === '/refund') return answer(response, { done: true });
      const say = (): void => answer(response, request.url === '/orders/7' ? { status: now.status } : { name: 'Ada' });
      // Of each pair the one that is to be second waits until the other has left, whichever came first.
      if (request.url === now.first) {
        say();
        return response.on('close', () => setTimeout(leave, 300));
      }
      second = say;
      return meet();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open(next) {
      world = next;
    },
  };
}

