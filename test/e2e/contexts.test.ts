import { describe } from 'vitest';
import { CATALOGUE } from '../support/catalogue.ts';
import { itReplays } from '../support/agent-tests.ts';

describe('what surrounds a callback: stacks and asynchronous contexts', () => itReplays(CATALOGUE.contexts));
