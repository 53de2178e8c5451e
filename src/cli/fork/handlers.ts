/** `--handlers FILE`: msw handlers that answer a fork, in the command line's process and never in the program's. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../../model/error.ts';
import type { Header } from '../../steps/http1.ts';

/** What msw's request handlers have in common, whatever version of it the file has loaded. */
interface Handler {
  run(args: { readonly request: Request; readonly requestId: string }): Promise<{ readonly response?: Response | undefined } | null>;
}

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body: Buffer;
}

export interface Handlers {
  /** @returns undefined where no handler wants it, or one lets it pass @throws what a handler throws */
  answer(asked: Asked): Promise<Response | undefined>;
}

/** @throws ConfigError */
export async function loadHandlers(file: string): Promise<Handlers> {
  if (!existsSync(file)) throw new ConfigError(`--handlers ${file}: there is no such file.`);
  let module: { readonly default?: unknown; readonly handlers?: unknown };
  try {
    module = (await import(pathToFileURL(resolve(file)).href)) as typeof module;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isMissing = (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && /package 'msw'|module 'msw[/']/.test(message);
    throw new ConfigError(`--handlers ${file}: it cannot be loaded: ${message}${isMissing ? `. msw is found from where the file lies: cd ${dirname(resolve(file))} && npm install --save-dev msw` : ''}`);
  }
  // A CommonJS module has its exports under `default`.
  const held = module.handlers ?? (module.default as typeof module | undefined)?.handlers ?? module.default;
  const handlers = Array.isArray(held) ? (held as unknown[]) : [];
  if (handlers.length === 0 || !handlers.every(isHandler)) throw new ConfigError(`--handlers ${file}: it exports no list of msw's request handlers. It takes: export const handlers = [http.post(URL, () => HttpResponse.json(…))], or the list as its default.`);
  return { answer: (asked) => answer(handlers, asked) };
}

function isHandler(value: unknown): value is Handler {
  return typeof (value as Partial<Handler> | null)?.run === 'function';
}

async function answer(handlers: readonly Handler[], { method, url, headers, body }: Asked): Promise<Response | undefined> {
  const hasBody = body.length > 0 && method !== 'GET' && method !== 'HEAD';
  const request = new Request(url, { method, headers: headers.map(([name, value]): [string, string] => [name, value]), ...(hasBody && { body: new Uint8Array(body) }) });
  for (const handler of handlers) {
    const response = (await handler.run({ request, requestId: crypto.randomUUID() }))?.response;
    if (response) return isPassedOn(response) ? undefined : response;
  }
  return undefined;
}

/** msw's passthrough(): an ordinary answer with a mark. */
function isPassedOn(response: Response): boolean {
  return response.status === 302 && response.headers.get('x-msw-intention') === 'passthrough';
}
