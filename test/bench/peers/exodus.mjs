// @exodus/replay as its README shows it: fetch wrapped, the log kept as JSON at the end.
import { fetchRecorder, fetchReplayer } from '@exodus/replay';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(process.env.PEER_FOLDER, 'log.json');
if (process.env.PEER_MODE === 'record') {
  const log = [];
  globalThis.fetch = fetchRecorder(log);
  process.on('exit', () => writeFileSync(file, JSON.stringify(log)));
} else {
  globalThis.fetch = fetchReplayer(JSON.parse(readFileSync(file, 'utf8')));
}
