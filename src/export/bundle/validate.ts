/**
 * What a bundle says of a run, held against what a run is: it was written by whoever made the file. Nothing in it is ever used
 * as a path; names of files come from numbers.
 */
import type { SealedKey } from '../../journal/format.ts';
import { IntegrityError } from '../../model/error.ts';
import { isRunId } from '../../model/uuid.ts';
import type { BundledRun } from './container.ts';

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isCount: Test = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const isList = (of: Test): Test => (value) => Array.isArray(value) && value.every(of);
const isMap = (of: Test): Test => (value) => isObject(value) && Object.values(value).every(of);
const orNull = (test: Test): Test => (value) => value === null || test(value);
const isId: Test = (value) => isText(value) && isRunId(value as string);
const isOneOf = (...values: readonly unknown[]): Test => (value) => values.includes(value);
const isTime: Test = (value) => isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value as string);
const isShape = (shape: Readonly<Record<string, Test>>, optional: Readonly<Record<string, Test>> = {}): Test => (value) =>
  isObject(value) && Object.entries(shape).every(([name, test]) => test(value[name])) && Object.entries(value).every(([name, member]) => name in shape || optional[name]?.(member) === true);

const isKey: Test = isShape({ recipient: isText, ephemeral: isText, box: isText } satisfies Record<keyof SealedKey, Test>);
const MANIFEST = isShape(
  {
    format: isOneOf(1), id: isId, parentRunId: orNull(isId), forkedFrom: orNull(isId), replayOf: orNull(isId), name: orNull(isText), agent: isText, tags: isMap(isText), status: isOneOf('recording', 'complete'),
    pid: isCount, processStart: isText, startedAt: isTime, durationMs: orNull(isCount), exitCode: orNull((value) => Number.isSafeInteger(value)), signal: orNull((value) => isText(value) && /^SIG[A-Z0-9]+$/.test(value as string)),
    node: (value) => isText(value) && /^v\d+\.\d+\.\d+/.test(value as string), platform: isText, uncaptured: isList(isText), lost: isCount,
  },
  { tail: isShape({ file: isText, bytes: isCount, sha256: isText }), captured: isOneOf('proxy'), fork: isShape({ at: isCount }, { refused: isList(isText) }) },
);
const SEGMENT = isShape({ sealed: (value) => typeof value === 'boolean', version: isCount, header: isShape({ run: isId, lane: isCount, segment: isCount, salt: isText, previous: isText }), checked: (value) => typeof value === 'boolean', bytes: isCount, sha256: isText });
const PROTECTION: Test = (value) => isShape({ by: isOneOf('clear'), key: isText })(value) || isShape({ by: isOneOf('sealed'), salt: isText, keys: isList(isKey), header: isList(isKey) })(value);
const RUN = isShape({ manifest: MANIFEST, protection: PROTECTION, segments: isList(SEGMENT) }, { underivable: isList(isShape({ lane: isCount, event: isCount, what: isText })) });

/** @throws IntegrityError */
export function checkRun(run: unknown): asserts run is BundledRun {
  const { manifest } = (isObject(run) ? run : {}) as Partial<BundledRun>;
  if (!isId(manifest?.id)) throw new IntegrityError(`it holds a run whose id is ${JSON.stringify(manifest?.id)?.slice(0, 80) ?? 'missing'}, which is no id of a run`);
  if (!RUN(run)) throw new IntegrityError(`what it says of run ${manifest?.id} is not what a run is`);
  const { segments } = run as BundledRun;
  const foreign = segments.find(({ header }) => header.run !== manifest?.id);
  if (foreign) throw new IntegrityError(`a part of the journal of run ${manifest?.id} belongs to run ${foreign.header.run}`);
  const places = segments.map(({ header }) => `${header.lane}.${header.segment}`);
  if (new Set(places).size !== places.length) throw new IntegrityError(`a part of the journal of run ${manifest?.id} is in it twice`);
}
