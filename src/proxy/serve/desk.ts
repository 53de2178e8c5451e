/** Answers requests from a recording, as the recorded servers did: byte by byte and piece by piece. Nothing goes any further. */
import type { Duplex } from 'node:stream';
import type { Answer, Answers, Problem } from '../../replay/serve/answers.ts';
import { requestOf, requestReader } from '../../steps/http1-exchange.ts';
import { headerValue, type MessageReader } from '../../steps/http1-message.ts';
import type { HttpRequest } from '../../steps/http1.ts';
import { jsonAnswer } from '../answers.ts';
import type { Head, Site } from '../head.ts';
import type { Exchanges, Sink, Visitor } from '../visitor.ts';

const EOF = -4095;
const CONTINUE = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n');

export interface DeskOptions {
  readonly answers: Answers;
  /** Takes secrets out of what is told. */
  readonly masked: (problem: Problem) => Problem;
  readonly body: (problem: Problem) => object;
  readonly told: (problem: Problem) => void;
  /** The recorded program ended by itself: what it did not wait for is known. */
  readonly isComplete: boolean;
}

export class Desk implements Exchanges {
  answered = 0;
  readonly problems: Problem[] = [];
  readonly #options: DeskOptions;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  begin(visitor: Visitor, head: Head, reader: MessageReader): Sink {
    const parts: Buffer[] = [];
    let isGone = false;
    if (/100-continue/i.test(headerValue(reader.headers, 'expect') ?? '')) visitor.write(CONTINUE);
    return {
      body: (bytes) => {
        parts.push(bytes);
        return true;
      },
      end: () => {
        const body = Buffer.concat(parts);
        this.#options.answers.find(this.#meant(head, body)).then((answer) => {
          if ('code' in answer) return this.#refuse(visitor, answer);
          this.answered++;
          this.#play(visitor, answer, () => isGone);
        }).catch((error: unknown) => visitor.refuse(500, `${head.method} ${head.target} cannot be held against the recording: ${String(error)}`));
      },
      gone: () => (isGone = true),
    };
  }

  left(): void {}

  refused(what: string): void {
    this.#tell({ code: 'REPLAY_MISMATCH', step: 0, kind: 'http request', expected: 'HTTP/1, through this proxy or with its address as base URL', actual: what, firstDifference: null });
  }

  readonly raw = (socket: Duplex, { host, port }: Site): void => {
    this.refused(`a connection to ${host}:${port} that speaks neither TLS nor HTTP`);
    socket.destroy();
  };

  /** As a base URL, the port stands for each address that the recorded run called. */
  #meant({ site, headers, bytes }: Head, body: Buffer): HttpRequest[] {
    if (site) return [parse(Buffer.concat([bytes, body]), site)];
    const [line = ''] = bytes.toString('latin1').split('\r\n', 1);
    return this.#options.answers.origins.map(({ scheme, authority }) => {
      const own = headers.map(([name, value]) => `${name}: ${name.toLowerCase() === 'host' ? authority : value}\r\n`).join('');
      return parse(Buffer.concat([Buffer.from(`${line}\r\n${own}\r\n`, 'latin1'), body]), { scheme, host: authority, port: 0 });
    });
  }

  #refuse(visitor: Visitor, found: Problem): void {
    const problem = this.#tell(found);
    // Clients that try again on such a status would only hear the same.
    visitor.write(jsonAnswer(500, this.#options.body(problem), false, ['x-should-retry: false']));
    visitor.answered(true);
  }

  #tell(found: Problem): Problem {
    const problem = this.#options.masked(found);
    this.problems.push(problem);
    this.#options.told(problem);
    return problem;
  }

  #play(visitor: Visitor, answer: Answer, isGone: () => boolean): void {
    const pieces = [...answer.pieces];
    const next = (): void => {
      if (isGone()) return;
      const piece = pieces.shift();
      if (!piece) return this.#over(visitor, answer);
      if (piece.status === EOF) return visitor.end();
      if (piece.status < 0) return visitor.cut();
      // Each piece is a packet of its own, as it was.
      if (visitor.write(piece.bytes, next)) setImmediate(next);
    };
    next();
  }

  #over(visitor: Visitor, { isWhole }: Answer): void {
    if (isWhole) visitor.answered(true);
    // The recorded program gave it up: so may this one. Of a recording that was cut off nobody knows what came.
    else if (!this.#options.isComplete) visitor.cut();
  }
}

function parse(bytes: Buffer, site: Site): HttpRequest {
  const reader = requestReader();
  reader.feed(bytes, 0);
  return requestOf(reader, site);
}
