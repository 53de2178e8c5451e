// Polly.js with both of its adapters for Node and its persister for files; what is missing is refused in replay.
import { join } from 'node:path';
import FetchAdapter from '@pollyjs/adapter-fetch';
import NodeHttpAdapter from '@pollyjs/adapter-node-http';
import { Polly } from '@pollyjs/core';
import FSPersister from '@pollyjs/persister-fs';

Polly.register(FetchAdapter);
Polly.register(NodeHttpAdapter);
Polly.register(FSPersister);
const polly = new Polly('bench', {
  adapters: ['fetch', 'node-http'], persister: 'fs', persisterOptions: { fs: { recordingsDir: join(process.env.PEER_FOLDER, 'recordings') } },
  mode: process.env.PEER_MODE, recordIfMissing: false, logLevel: 'silent',
});
// Writes what it has recorded; takes turns of the loop, so once, when the program has nothing left to do.
process.once('beforeExit', () => void polly.stop());
