/** Agents that are services: visited while they are recorded, alone when they are replayed. */
import { describe } from 'vitest';
import { itReplays } from '../support/agent-tests.ts';
import { CATALOGUE } from '../support/catalogue.ts';

describe('servers', () => itReplays(CATALOGUE.servers));
