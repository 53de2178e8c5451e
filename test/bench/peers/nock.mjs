// nock's recorder as its README shows it, with objects as output; replay with the network refused.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import nock from 'nock';

const file = join(process.env.PEER_FOLDER, 'definitions.json');
if (process.env.PEER_MODE === 'record') {
  nock.recorder.rec({ dont_print: true, output_objects: true });
  process.on('exit', () => writeFileSync(file, JSON.stringify(nock.recorder.play())));
} else {
  nock.disableNetConnect();
  nock.define(nock.loadDefs(file));
}
