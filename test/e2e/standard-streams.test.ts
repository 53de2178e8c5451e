import { describe } from 'vitest';
import { CATALOGUE } from '../support/catalogue.ts';
import { itReplays } from '../support/agent-tests.ts';

describe('standard input and output', () => itReplays(CATALOGUE.standardStreams));
