import { describe } from 'vitest';
import { CATALOGUE } from '../support/catalogue.ts';
import { itReplays } from '../support/agent-tests.ts';

describe('files that are gone, or differ, when the run is replayed', () => itReplays(CATALOGUE.files));
