import { describe } from 'vitest';
import { itReplays } from '../support/agent-tests.ts';
import { CATALOGUE } from '../support/catalogue.ts';

describe('HTTP/2: nghttp2 runs for real on recorded bytes', () => itReplays(CATALOGUE.http2));
describe('gRPC, WebSockets and other clients of packages', () => itReplays(CATALOGUE.channels));
describe('UDP: datagrams come from the recording, and none leaves', () => itReplays(CATALOGUE.datagrams));
