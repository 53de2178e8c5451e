/** Child processes as events of a lane. */
import { encodeOutcome } from '../../../src/model/value.ts';
import type { Tape } from './traffic.ts';

interface Pipes {
  readonly child: number;
  readonly stdin: number;
  readonly stdout: number;
  readonly stderr: number;
}

export function startChild(tape: Tape, command: string, args: readonly string[]): Pipes {
  const child = tape.start('process', [command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ADDED: 'x' } }]);
  const [stdin = 0, stdout = 0, stderr = 0] = [0, 1, 2].map((fd) => tape.start('child-pipe', [child, fd, 'pipe']));
  tape.value('spawned', 0, [child], encodeOutcome({ result: [0, 123] }));
  return { child, stdin, stdout, stderr };
}

/** One that works, one that ends otherwise, one that is not there, and a synchronous one. */
export function runCommand(tape: Tape): void {
  const { child, stdin, stdout, stderr } = startChild(tape, 'tr', ['a-z', 'A-Z']);
  tape.write(stdin, 'some text');
  tape.read(stdout, 'SOME ');
  tape.read(stdout, 'TEXT');
  tape.read(stderr, 'a warning\n');
  tape.deliver(child, 'exited', 0);
  tape.deliver(startChild(tape, 'sleep', ['60']).child, 'exited', 0, 'SIGTERM');
  const missing = tape.start('process', ['no-such', [], { stdio: [], env: {} }]);
  tape.value('spawned', 0, [missing], encodeOutcome({ result: [-2, undefined] }));
  const sync = tape.start('process', ['git', ['status'], { sync: true, cwd: '/repository', stdio: ['pipe', 'pipe', { inherit: 2 }], env: {} }]);
  tape.write(sync, 'given');
  tape.add({ type: 'output', operation: sync, kind: 'relayed', status: 2, data: Buffer.from('fatal: no') });
  tape.value('spawn-sync', 0, [sync], encodeOutcome({ result: { pid: 7, status: 128, signal: null, output: [null, Buffer.from('out'), null] } }));
}

const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

/** A message in three chunks, two in one, one cut within a letter, a question of the server's, errors of both kinds. */
export function speakMcp(tape: Tape): void {
  const { child, stdin, stdout, stderr } = startChild(tape, 'mcp-server', ['--stdio']);
  tape.write(stdin, line({ id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18' } }));
  const hello = line({ id: 0, result: { serverInfo: { name: 'files', version: '1' } } });
  for (const piece of [hello.slice(0, 5), hello.slice(5, 30), hello.slice(30)]) tape.read(stdout, piece);
  tape.write(stdin, line({ method: 'notifications/initialized' }));
  tape.write(stdin, line({ id: 1, method: 'tools/call', params: { name: 'read_file', arguments: { path: '/etc/motd' } } }));
  tape.write(stdin, line({ id: 2, method: 'tools/call', params: { name: 'write_file', arguments: { path: '/x' } } }));
  tape.read(stderr, 'reading\n');
  const answers = Buffer.from(line({ id: 2, error: { code: -32000, message: 'read-only' } }) + line({ id: 1, result: { content: [{ type: 'text', text: 'grüezi' }] } }));
  const cut = answers.indexOf('ü') + 1;
  tape.read(stdout, answers.subarray(0, cut));
  tape.read(stdout, answers.subarray(cut));
  tape.read(stdout, `not a message\n${line({ id: 'a', method: 'sampling/createMessage', params: { maxTokens: 5 } })}`);
  tape.write(stdin, line({ id: 'a', result: { role: 'assistant' } }));
  tape.write(stdin, line({ id: 3, method: 'tools/call', params: { name: 'fails' } }));
  tape.read(stdout, line({ id: 3, result: { isError: true, content: [{ type: 'text', text: 'no luck' }] } }));
  tape.read(stdout, line({ method: 'notifications/message', params: { level: 'info' } }));
  tape.write(stdin, line({ id: 4, method: 'tools/call', params: { name: 'hangs', arguments: {} } }));
  tape.deliver(child, 'exited', 0, 'SIGTERM');
}
