import { describe } from 'vitest';
import { CATALOGUE } from '../support/catalogue.ts';
import { itReplays } from '../support/agent-tests.ts';

describe('the ways in which a program ends', () => itReplays(CATALOGUE.endings));
