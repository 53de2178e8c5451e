/** The secrets of a run while they are looked for. */
import type { Secret, SecretKind } from './secret.ts';
import { type Certainty, isWorthMasking } from './worth.ts';

/** Looking through is as fast as remembering. */
const SHORT = 48;

export class Findings {
  readonly #found = new Map<string, SecretKind>();
  readonly #seen = new Set<string>();

  /** Prompts say again what was said before. @returns whether a text was looked through already */
  hasSeen(text: string): boolean {
    if (text.length < SHORT) return false;
    if (this.#seen.has(text)) return true;
    this.#seen.add(text);
    return false;
  }

  /** @param value as it stands there: spaces and quotes around it do not count */
  add(value: string, kind: SecretKind, certainty: Certainty): void {
    const plain = kind === 'private key' ? value.trim().replace(/\r\n|(?:\\+r)?\\+n/g, '\n') : unquoted(value.trim());
    if (!this.#found.has(plain) && isWorthMasking(plain, certainty === 'named' && kind === 'password' ? 'password' : certainty)) this.#found.set(plain, kind);
  }

  secrets(): Secret[] {
    return [...this.#found].map(([value, kind]) => ({ value, kind }));
  }
}

function unquoted(text: string): string {
  const [first] = text;
  return text.length > 1 && (first === '"' || first === "'") && text.endsWith(first) ? text.slice(1, -1) : text;
}
