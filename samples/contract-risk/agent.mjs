// First review of a supply contract: the model reads out who the buyer is and under which law the contract
// stands, has the compliance register asked what is known against the clause there, and rates the contract.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';

const MODEL = process.env.REVIEW_MODEL ?? 'claude-haiku-4-5-20251001';
const REGISTER = process.env.COMPLIANCE_API_URL ?? new URL('/compliance', process.env.ANTHROPIC_BASE_URL).href;
const MAX_TURNS = 6;

const SYSTEM = `You review supply contracts for the legal department. Call tools for facts, never guess them.
Finish with one sentence that says "low risk" or "high risk" and why.`;
const QUESTION = 'Identify the buyer and the jurisdiction in this contract, then check the jurisdiction for its retention of title clause.';

const anthropic = new Anthropic();
const review = randomUUID();

const tools = [
  {
    name: 'check_jurisdiction',
    description: 'Asks the compliance register what is known against retention of title in a jurisdiction',
    input_schema: {
      type: 'object',
      properties: {
        party: { type: 'string', description: 'the buyer, as the contract names it' },
        jurisdiction: { type: 'string', description: 'ISO 3166 code', pattern: '^[A-Z]{2}(-[A-Z]{1,3})?$' },
      },
      required: ['party', 'jurisdiction'],
    },
  },
];
const implementations = { check_jurisdiction: checkJurisdiction };

async function checkJurisdiction({ party, jurisdiction }) {
  const response = await fetch(`${REGISTER}/jurisdictions?${new URLSearchParams({ code: jurisdiction })}`, {
    headers: { 'x-request-id': randomUUID() },
  });
  if (!response.ok) throw new Error(`the compliance register answered ${response.status}`);
  const { entries } = await response.json();
  log(`register: ${entries.length} entries for ${jurisdiction}`);
  if (entries.length === 0) return `${party} (${jurisdiction}): low risk, no restriction on retention of title`;
  return entries.map(({ code, clause, risk, note }) => `${party} (${code}): ${risk} risk, ${clause} is ${note}`).join('; ');
}

function log(message) {
  console.log(`${new Date().toISOString()} ${message}`);
}

async function ask(messages) {
  const stream = anthropic.messages.stream({ model: MODEL, max_tokens: 1024, system: SYSTEM, messages, tools });
  stream.on('text', (words) => process.stdout.write(words)); // as they come
  const message = await stream.finalMessage();
  if (message.stop_reason === 'end_turn') process.stdout.write('\n');
  log(`model: ${message.stop_reason}, ${message.usage.output_tokens} tokens`);
  return message;
}

async function runTool({ id, name, input }) {
  log(`${name}(${JSON.stringify(input)})`);
  return { type: 'tool_result', tool_use_id: id, content: await implementations[name](input) };
}

async function assess(contract) {
  const messages = [{ role: 'user', content: `${QUESTION}\n\n${contract}` }];
  for (let turn = 1; turn <= MAX_TURNS; turn++) {
    const { content } = await ask(messages);
    messages.push({ role: 'assistant', content });
    const calls = content.filter(({ type }) => type === 'tool_use');
    if (calls.length === 0) return content.filter(({ type }) => type === 'text').map(({ text }) => text).join('\n');
    messages.push({ role: 'user', content: await Promise.all(calls.map(runTool)) });
  }
  throw new Error(`no assessment after ${MAX_TURNS} turns`);
}

const file = process.argv[2] ? resolve(process.argv[2]) : new URL('contract.txt', import.meta.url);
const contract = await readFile(file, 'utf8');
log(`review ${review}: ${contract.split('\n', 1)[0]}`);
const assessment = await assess(contract);
log(`reviewed in ${Math.round(performance.now())} ms`);

const [, risk] = /\b(low|high) risk\b/.exec(assessment) ?? [];
if (!risk) throw new Error('the model gave no rating');
console.log(`risk: ${risk} (${contract.split('\n', 1)[0]})`);
