import { describe } from 'vitest';
import { CATALOGUE } from '../support/catalogue.ts';
import { itReplays } from '../support/agent-tests.ts';

describe('database drivers at real servers: what was answered comes again with the servers gone, and nothing is done twice', () => itReplays(CATALOGUE.databases));
