import { describe } from 'vitest';
import { CATALOGUE } from '../support/catalogue.ts';
import { itReplays } from '../support/agent-tests.ts';

describe('worker threads and message ports, none of which is started in replay', () => itReplays(CATALOGUE.threads));
