/** What an endpoint of the test server works with. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** What the endpoints remember from one request to the next; new with every start of the server. */
export interface EndpointState {
  /** Requests so far, by the id in their URL. */
  readonly counts: Map<string, number>;
  /** What waits for a client to have read something, by id. */
  readonly unread: Map<string, () => void>;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly bytes: Buffer;
  readonly body: string;
  readonly state: EndpointState;
}

export type Endpoint = (exchange: Exchange) => Promise<void> | void;

export function json(response: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

/** How often this was asked before, with `?id=` in the URL. */
export function countOf({ url, state }: Exchange): number {
  const id = `${url.pathname} ${url.searchParams.get('id') ?? ''}`;
  const count = state.counts.get(id) ?? 0;
  state.counts.set(id, count + 1);
  return count;
}

/** When the client has gone away, or the answer is complete. */
export function gone(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => void (response.destroyed ? resolve() : response.once('close', resolve)));
}
