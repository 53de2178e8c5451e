import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PACKAGES } from '../support/paths.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import { holdsBaseRule, withoutChance } from './base-rule.ts';

const AGENT = join(PACKAGES, 'agents/s03-multipart.mjs');
const FILE_BYTES = 200_000;

it('S03 multipart uploads match, whatever their boundary', async () => {
  const file = randomBytes(FILE_BYTES);
  const { workspace, recorded, replay } = await holdsBaseRule(AGENT, withoutChance, { prepare: (folder) => folder.write('upload.bin', file) });
  const echoes = recorded.stdout.toString().trim().split('\n').map((line) => JSON.parse(line.slice(line.indexOf('{'))) as { sameBoundary: boolean; parts: { name: string; size: number; filename?: string; sha256: string }[] });
  expect(echoes.map(({ sameBoundary }) => sameBoundary)).toEqual([true, true, true]);
  const hashes = echoes.map(({ parts }) => parts.find(({ name }) => name === 'file'));
  expect(hashes).toEqual(Array.from({ length: 3 }, () => ({ name: 'file', filename: 'upload.bin', size: FILE_BYTES, sha256: sha256(file) })));
  // A replay reads the recorded file, not today's.
  workspace.write('upload.bin', 'something else');
  await replay();
});

it.each([
  ['fetch', '/multipart', 'upload.bin\');\n', 'upload.bin\');\nbytes[150_000] ^= 1;\n'],
  ['form-data', '/multipart', "nodeForm.append('file', stream())", "nodeForm.append('file', oneByteOff(stream()))"],
  ['openai', '/v1/files', '{ file: stream(), purpose', '{ file: oneByteOff(stream()), purpose'],
])('S03 one changed byte of the file is a changed request: %s', async (client, path, from, to) => {
  const workspace = testWorkspace();
  const server = await testServer(workspace);
  workspace.write('upload.bin', randomBytes(FILE_BYTES));
  const agent = workspace.copy(AGENT);
  expect((await workspace.record(agent, { env: server.env })).exitCode).toBe(0);
  const text = readFileSync(agent, 'utf8');
  expect(text).toContain(from);
  writeFileSync(agent, `${text.replace(from, to)}\n${ONE_BYTE_OFF}`);
  await server.stop();
  await server.start();

  const { exitCode, report, ownStderr, stdout } = await workspace.replay();
  expect({ exitCode, verdict: report?.verdict, hits: server.hits }, ownStderr).toEqual({ exitCode: 3, verdict: 'diverged', hits: 0 });
  for (const words of ['POST', server.url + path]) expect(ownStderr).toContain(words);
  expect(report?.firstDifference?.field).toMatch(/^body\.file byte \d+$/);
  expect(stdout.toString()).not.toMatch(new RegExp(`^${client} `, 'm'));
});

const ONE_BYTE_OFF = `function oneByteOff(stream) {
  const { push } = stream;
  stream.push = (chunk, ...rest) => {
    if (chunk) [chunk[7], stream.push] = [chunk[7] ^ 1, push];
    return push.call(stream, chunk, ...rest);
  };
  return stream;
}
`;

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
