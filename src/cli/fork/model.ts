/** `--model NAME`: the same request, to another model. */

export interface ModelCall {
  readonly url: string;
  readonly body: Buffer;
}

/** Providers that name the model in the path: Gemini, Bedrock, Azure. */
const IN_PATH = [/(\/models\/)([^/:?]+)(?=:)/, /(\/model\/)([^/?]+)(?=\/(?:converse|invoke))/, /(\/deployments\/)([^/?]+)(?=\/)/];

/** @returns the call that names `model` instead, and nothing else otherwise; undefined where it names none */
export function withModel({ url, body }: ModelCall, model: string): ModelCall | undefined {
  const inPath = IN_PATH.find((pattern) => pattern.test(url));
  const elsewhere = inPath ? url.replace(inPath, (_, before: string) => `${before}${encodeURIComponent(model)}`) : url;
  const otherBody = withModelInBody(body, model);
  return inPath || otherBody ? { url: elsewhere, body: otherBody ?? body } : undefined;
}

/** In the text itself: numbers, spaces and the order of keys stay as they are. */
function withModelInBody(body: Buffer, model: string): Buffer | undefined {
  const text = body.toString();
  const before = parsed(text);
  const named = before?.['model'];
  if (typeof named !== 'string') return undefined;
  const wanted = JSON.stringify({ ...before, model });
  for (const { 0: found, index } of text.matchAll(/"model"\s*:\s*"(?:[^"\\]|\\.)*"/g)) {
    const changed = text.slice(0, index) + found.replace(/"(?:[^"\\]|\\.)*"$/, () => JSON.stringify(model)) + text.slice(index + found.length);
    // A message may hold the same words.
    if (JSON.stringify(parsed(changed)) === wanted) return Buffer.from(changed);
  }
  return undefined;
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
