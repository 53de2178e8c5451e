/** Looks through the events of a run for everything that is a secret. */
import type { Config } from '../../model/config.ts';
import type { LaneEvent, RunFacts } from '../../model/event.ts';
import { exchangesOf } from '../../steps/exchanges.ts';
import { asList, asObject, asText, isObject } from '../../steps/json.ts';
import { gatherDrafts } from '../../steps/lane/gather.ts';
import { Findings } from './findings.ts';
import { formatsIn } from './formats.ts';
import { findInHeaders } from './in-headers.ts';
import { findInMultipart } from './in-multipart.ts';
import { findInArguments, findInFile, findInVariables } from './in-places.ts';
import { findInText, findInValue } from './in-text.ts';
import { findLogin } from './logins.ts';
import { createMasker, type Masker } from './masker.ts';
import { type MaskRules, maskRules } from './rules.ts';
import type { Secret } from './secret.ts';

/** @param mask rules of the configuration, beside the built-in ones */
export function findSecrets(events: readonly LaneEvent[], mask?: Config['mask']): Secret[] {
  const findings = new Findings();
  const rules = maskRules(mask);
  for (const event of events) {
    if (event.type === 'begin') findInFacts(event.facts, rules, findings);
    else if (event.type === 'start' || event.type === 'value') findInText(event.key, rules, findings);
    if (event.type === 'output' || event.type === 'delivery') findInBytes(event.data, findings);
    if (event.type === 'output' && event.kind === 'write') findLogin(event.data, findings);
  }
  for (const { request, response } of exchangesOf(events)) {
    for (const headers of [request.headers, request.trailers, response?.headers ?? [], response?.trailers ?? []]) findInHeaders(headers, rules, findings);
    findInText(request.target, rules, findings);
    for (const message of [request, ...(response ? [response] : [])]) findInMultipart(message.body, message.headers, rules, findings);
  }
  for (const { input, output } of gatherDrafts(events, {})) {
    findInStep(asObject(input), output, rules, findings);
    findInValue(input, rules, findings);
    findInValue(output, rules, findings);
  }
  return findings.secrets();
}

/**
 * The masker of a run: of all its lanes together.
 * @param key of which stand-ins are drawn: the run's own where it is at hand. Without it they are drawn from the run's seed,
 *   against which whoever has the events could check guesses
 */
export function maskerFor(lanes: readonly (readonly LaneEvent[])[], { mask, key }: { readonly mask?: Config['mask']; readonly key?: Uint8Array | undefined } = {}): Masker {
  const secrets = new Map<string, Secret>();
  for (const events of lanes) for (const secret of findSecrets(events, mask)) if (!secrets.has(secret.value)) secrets.set(secret.value, secret);
  return createMasker([...secrets.values()], key ?? Buffer.from(seedOf(lanes[0] ?? [])));
}

function seedOf(events: readonly LaneEvent[]): string {
  const [begin] = events;
  return begin?.type === 'begin' ? `${begin.facts.runId} ${begin.facts.seed}` : '';
}

function findInFacts({ env, argv, execArgv, tags, name, title }: RunFacts, rules: MaskRules, findings: Findings): void {
  findInVariables(env, rules, findings);
  findInArguments([...execArgv, ...argv], rules, findings);
  findInVariables(tags, rules, findings);
  findInText(`${name} ${title}`, rules, findings);
}

/** Raw, as it went over a wire or into a file: what is compressed is looked into as part of a step. */
function findInBytes(bytes: Buffer, findings: Findings): void {
  if (bytes.length < SHORTEST_KEY) return;
  for (const { value, kind } of formatsIn(bytes.latin1Slice())) findings.add(value, kind, 'format');
}

const SHORTEST_KEY = 16;

function findInStep(input: Readonly<Record<string, unknown>>, output: unknown, rules: MaskRules, findings: Findings): void {
  const path = asText(input['path']);
  const { content } = asObject(output);
  if (path !== null && typeof content === 'string') findInFile(path, content, rules, findings);
  if (Array.isArray(input['args'])) findInArguments(asList(input['args']).filter((argument) => typeof argument === 'string'), rules, findings);
  if (isObject(input['env'])) findInVariables(input['env'], rules, findings);
}
