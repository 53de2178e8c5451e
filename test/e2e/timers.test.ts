import { describe } from 'vitest';
import { CATALOGUE } from '../support/catalogue.ts';
import { itReplays } from '../support/agent-tests.ts';

describe('timers and clocks decide the order', () => itReplays(CATALOGUE.timers));
