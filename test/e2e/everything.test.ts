import { describe } from 'vitest';
import { CATALOGUE } from '../agents/catalogue.ts';
import { itReplays } from '../support/agent-tests.ts';

describe('everything at once', () => itReplays(CATALOGUE.everything));
