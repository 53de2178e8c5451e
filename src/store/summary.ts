/**
 * What a listing says of a sealed run, kept beside it so that it is worked out once. Sealed with the run's own key, and
 * bound to the state of the journal's files and to the program that made it: whatever changes, it is worked out again.
 * A convenience of listings only; whether a recording is intact is read from the recording.
 */
import { runKeyIn } from '../journal/run-key.ts';
import { bufferConcat, bufferFrom, jsonParse, jsonStringify, nativeCrypto, nativeFs } from '../runtime/natives.ts';

export interface RunSummary {
  readonly command: readonly string[] | null;
  readonly cwd: string | null;
  readonly steps: number;
  readonly llmCalls: number;
  readonly toolCalls: number;
  readonly durationMs: number;
  readonly uncaptured: readonly string[];
}

export const SUMMARY_FILE = 'summary';
const IV_BYTES = 12;
const TAG_BYTES = 16;

export class SummaryFile {
  readonly #file: string;
  readonly #key: Buffer | undefined;
  readonly #bound: Buffer;

  /** @param maker what a summary depends on besides the journal: another maker's is not read */
  constructor(folder: string, { maker, identities }: { readonly maker: string; readonly identities: readonly string[] }) {
    this.#file = `${folder}/${SUMMARY_FILE}`;
    const runKey = runKeyIn(folder, identities);
    this.#key = runKey && bufferFrom(nativeCrypto.hkdfSync('sha256', runKey, '', 'replay-harness run summary', 32));
    this.#bound = bufferFrom(jsonStringify([maker, ...journalFiles(folder)]) ?? '');
  }

  /** @returns undefined where there is none that belongs to this state of the run. */
  read(): RunSummary | undefined {
    if (!this.#key) return undefined;
    try {
      const bytes = nativeFs.readFileSync(this.#file);
      const decipher = nativeCrypto.createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, IV_BYTES)).setAAD(this.#bound).setAuthTag(bytes.subarray(-TAG_BYTES));
      return jsonParse(bufferConcat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).utf8Slice()) as RunSummary;
    } catch {
      return undefined;
    }
  }

  /** A store that cannot be written is read without summaries. */
  write(summary: RunSummary): void {
    if (!this.#key) return;
    const iv = nativeCrypto.randomBytes(IV_BYTES);
    const cipher = nativeCrypto.createCipheriv('aes-256-gcm', this.#key, iv).setAAD(this.#bound);
    const bytes = bufferConcat([iv, cipher.update(bufferFrom(jsonStringify(summary) ?? '')), cipher.final(), cipher.getAuthTag()]);
    const draft = `${this.#file}.${process.pid}.new`;
    try {
      nativeFs.writeFileSync(draft, bytes, { mode: 0o600 });
      nativeFs.renameSync(draft, this.#file);
    } catch {
      nativeFs.rmSync(draft, { force: true });
    }
  }
}

/** Name, size and time of last change (nanoseconds) of each. */
function journalFiles(folder: string): string[] {
  return nativeFs.readdirSync(folder).filter((name) => name.startsWith('lane-')).sort().map((name) => {
    const { size, mtimeNs } = nativeFs.statSync(`${folder}/${name}`, { bigint: true });
    return `${name} ${size} ${mtimeNs}`;
  });
}
