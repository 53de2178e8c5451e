import { describe } from 'vitest';
import { CATALOGUE } from '../support/catalogue.ts';
import { itReplays } from '../support/agent-tests.ts';

describe('model SDKs, unmodified', () => itReplays(CATALOGUE.models));
