import { describe } from 'vitest';
import { CATALOGUE } from '../support/catalogue.ts';
import { itReplays } from '../support/agent-tests.ts';

describe('what the runtime and the engine bring', () => itReplays(CATALOGUE.runtime));
