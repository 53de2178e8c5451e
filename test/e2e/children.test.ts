import { describe } from 'vitest';
import { itReplays } from '../support/agent-tests.ts';
import { CATALOGUE } from '../support/catalogue.ts';

describe('child processes', () => itReplays(CATALOGUE.children));
