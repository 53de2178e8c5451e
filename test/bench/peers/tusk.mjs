// Tusk Drift, exporting to local files. It records what goes out before the application says that it is ready, and afterwards
// only what belongs to an inbound request; an agent has none, so it never says so.
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { TuskDrift } from '@use-tusk/drift-node-sdk';

register('@use-tusk/drift-node-sdk/hook.mjs', pathToFileURL(import.meta.filename));
TuskDrift.initialize({ env: 'bench', logLevel: 'silent' });
// Its exporter writes every two seconds and would lose the rest of a short program.
process.once('beforeExit', () => void globalThis[Symbol.for('td-opentelemetry.js.api.1')].trace.getDelegate().forceFlush());
