import { describe } from 'vitest';
import { CATALOGUE } from '../support/catalogue.ts';
import { itReplays } from '../support/agent-tests.ts';

describe('clients of every kind: what came over the network comes again, from the recording', () => itReplays(CATALOGUE.network));
