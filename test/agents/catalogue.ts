/** The agents, by what they are about, and what each needs around it. */
import { type AgentCase, all } from '../support/record-and-replay.ts';

const network: readonly AgentCase[] = [
  { agent: 'fetch-json.mjs' },
  { agent: 'http-keep-alive.mjs' },
  { agent: 'https.mjs' },
  { agent: 'axios.mjs' },
  { agent: 'undici-package.mjs' },
  { agent: 'sse-fetch.mjs' },
  { agent: 'sse-http.mjs' },
  { agent: 'parallel-fetch.mjs' },
  { agent: 'abort.mjs' },
];

const models: readonly AgentCase[] = [{ agent: 'openai-tool-loop.mjs' }, { agent: 'anthropic-stream.mjs' }];

const timers: readonly AgentCase[] = [{ agent: 'timers.mjs' }, { agent: 'timer-objects.mjs', sameAsBare: all }, { agent: 'timer-race.mjs' }];

export const CATALOGUE = { network, models, timers } as const satisfies Record<string, readonly AgentCase[]>;

export const AGENT_CASES: readonly AgentCase[] = Object.values(CATALOGUE).flat();
