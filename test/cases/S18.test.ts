import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGES } from '../support/paths.ts';
import { sortedLines } from '../support/record-and-replay.ts';
import { type Case, holdsBaseRule } from './base-rule.ts';

interface Shown {
  readonly kind: string;
  readonly boundary: string;
  readonly name: string;
  readonly summary: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>>;
  readonly error: { readonly code: string } | null;
}

const packageAgent = (name: string): string => join(PACKAGES, 'agents', name);
/** Node 20 has the global WebSocket for those who ask. */
const WEBSOCKET = process.versions.node.startsWith('20.') ? ['--no-warnings', '--experimental-websocket'] : [];

/** Messages that came in one packet have one number: the others stand beside the first. A sent one has no output. */
const pipelinedWith = ({ output }: { output: Shown['output'] | null }): Shown[] => (output?.['pipelined'] as Shown[] | undefined) ?? [];

async function stepsOf({ workspace }: Case): Promise<Shown[]> {
  const { stdout } = await workspace.cli(['show', 'latest', '--json']);
  return (JSON.parse(stdout.toString()) as { steps: Shown[] }).steps;
}

describe('S18: HTTP/2, gRPC and WebSockets', () => {
  it('gRPC: the same messages, metadata and status codes', async () => {
    const grpc = await holdsBaseRule(packageAgent('s18-grpc.mjs'), sortedLines, { companion: packageAgent('grpc-server.mjs'), env: { GREETER_PROTO: packageAgent('greeter.proto') } });
    const stdout = grpc.recorded.stdout.toString();
    for (const line of ['no such name: nobody é', 'client stream null one+two+three', 'server stream number 5 5000', 'chat you said line 3', 'cancelled CANCELLED', 'nobody UNAVAILABLE', 'after a pause hello again, ']) expect(stdout).toContain(line);
    const calls = (await stepsOf(grpc)).filter(({ name }) => name.startsWith('grpc '));
    expect(calls.every(({ kind, boundary, input }) => kind === 'tool' && boundary === 'http2' && input['service'] === 'test.greeter.Greeter')).toBe(true);
    const [first, missing] = calls as [Shown, Shown];
    expect(first).toMatchObject({ name: 'grpc test.greeter.Greeter/SayHello', error: null, input: { metadata: { 'x-client': 'agent' } }, output: { status: 'OK', metadata: { 'x-server': 'greeter' }, trailers: { 'x-took': 'no time' } } });
    // A protobuf message of one text: its field, its length, and the text.
    expect(first.input['messages']).toEqual([{ base64: Buffer.from('\x0a\x05world').toString('base64'), bytes: 7 }]);
    expect(missing).toMatchObject({ output: { status: 'NOT_FOUND', details: 'no such name: nobody é', messages: [] }, error: { code: 'NOT_FOUND' } });
    expect(calls.find(({ name }) => name.endsWith('/Count'))?.output['messages']).toHaveLength(6);
    expect(calls.find(({ name }) => name.endsWith('/Chat'))).toMatchObject({ input: { messages: { length: 4 } }, output: { messages: { length: 4 } } });
  });

  it('HTTP/2: the same answers, trailers and pushed streams', async () => {
    const http2 = await holdsBaseRule('http2.mjs', (stdout) => stdout.replace(/\d+\.\d+/g, 'TIME'));
    expect(http2.requests).toContain('GET /trailers');
    const steps = (await stepsOf(http2)).filter(({ boundary }) => boundary === 'http2');
    const step = (path: string): Shown | undefined => steps.find(({ name }) => name.endsWith(path));
    expect(step('/trailers')).toMatchObject({ kind: 'tool', error: null, input: { method: 'GET' }, output: { status: 200, body: 'first second', trailers: { 'x-checksum': 'abc', 'x-count': '2' } } });
    expect(step('/json?number=1')).toMatchObject({ input: { headers: { 'x-mark': 'e' } }, output: { headers: { 'set-cookie': expect.any(Array) }, body: { path: '/json?number=1' } } });
    expect(step('/pushed.txt')).toMatchObject({ output: { status: 200, body: 'pushed text' } });
    expect(step('/upload')).toMatchObject({ output: { status: 201, body: { bytes: 400_000 } } });
  });

  it('WebSockets, of the package and the global one: the same messages and close codes', async () => {
    const sockets = await holdsBaseRule(packageAgent('s18-websocket.mjs'), sortedLines, { companion: packageAgent('ws-server.mjs'), nodeArgs: WEBSOCKET });
    const stdout = sockets.recorded.stdout.toString();
    for (const line of ['compressed close 4001 session expired é 3', 'plain close 4001 enough 3', 'dies close 1006', 'global close 4001 enough true', 'hung up on close 4001 session expired é true', 'died close 1006  false']) expect(stdout).toContain(line);
    const steps = (await stepsOf(sockets)).filter(({ boundary }) => boundary === 'websocket');
    const messages = steps.filter(({ kind }) => kind === 'message').flatMap((step) => [step, ...pipelinedWith(step)]);
    const named = (name: string): Shown[] => messages.filter((step) => step.name === name);
    expect(named('received text')[0]).toMatchObject({ input: { url: expect.stringMatching(/^ws:.*\/v1\/realtime\?model=voice-1$/) }, output: { type: 'text', data: { type: 'session.created', voice: 'alloy' } } });
    expect(named('sent text')[0]).toMatchObject({ input: { data: { type: 'response.create' } }, output: null });
    // Inflated, and put together from its pieces.
    expect(named('received text').map(({ output }) => (output['data'] as { text?: string }).text)).toContain('so long that it is compressed. '.repeat(20));
    expect(named('received binary')[0]).toMatchObject({ output: { data: { bytes: 70_000 } } });
    expect(named('received close').map(({ output }) => [output['code'], output['reason']])).toContainEqual([4001, 'session expired é']);
    expect(named('sent close').map(({ input }) => [input['code'], input['reason']])).toContainEqual([4001, 'enough']);
    expect(named('received ping')[0]).toMatchObject({ output: { data: expect.objectContaining({ bytes: 13 }) as unknown } });
  });
});
