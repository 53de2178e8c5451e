/**
 * Requests of the program on their way through msw: its handlers choose the answer. What they leave alone (no answer,
 * passthrough, an error) is refused: nothing goes live from here.
 */
import { http } from 'msw/http';
import { defineNetwork, HttpNetworkFrame, NetworkSource } from 'msw/experimental';

export interface Question {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
  /** Whether the tape has the answer. */
  match(): boolean;
  /** It has, and the answer comes in its recorded turns. */
  answered(): void;
  /** Nothing answers; `why` in words. */
  refused(why: string): void;
}

export interface Network {
  ask(question: Question): void;
}

const BODILESS = ['GET', 'HEAD'];

class TapeFrame extends HttpNetworkFrame {
  readonly #question: Question;

  constructor(id: string, request: Request, question: Question) {
    super({ id, request });
    this.#question = question;
  }

  override respondWith(): void {
    this.#question.answered();
  }

  override passthrough(): void {
    this.#question.refused('no recorded call means the same');
  }

  override errorWith(reason?: unknown): void {
    this.#question.refused(String(reason));
  }
}

class TapeSource extends NetworkSource<TapeFrame> {
  override enable(): void {}
}

export function createNetwork(): Network {
  const open = new Map<string, Question>();
  const source = new TapeSource();
  const handlers = [http.all('*', ({ requestId }) => (open.get(requestId)?.match() ? new Response(null) : undefined))];
  // The guard decides what becomes of a request that nobody answers: never msw.
  const network = defineNetwork({ sources: [source], handlers, context: { quiet: true }, onUnhandledFrame: () => {} });
  network.enable();
  let count = 0;
  return {
    ask(question) {
      const id = String(++count);
      const done = (): void => void open.delete(id);
      open.set(id, question);
      try {
        const { method, url, headers, body } = question;
        const request = new Request(url, { method, headers: headers.map(([name, value]): [string, string] => [name, value]), body: BODILESS.includes(method) ? null : body.slice() });
        source.queue(new TapeFrame(id, request, question)).then(done, (error: unknown) => {
          done();
          question.refused(String(error));
        });
      } catch (error) {
        done();
        question.refused(String(error));
      }
    },
  };
}
