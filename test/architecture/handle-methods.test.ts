/**
 * Node's JavaScript asks its handles for more with every version, and what nobody captures is lost without a word (Node
 * 22.23 began to ask kept sockets `hasPendingRead`). So every method of a handle has to be known, on every Node at hand.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './sources.ts';

/** Captured, or without any answer of the world's: settings, and what only servers use (which are named as not captured). */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  TCP: ['open', 'bind', 'bind6', 'listen', 'connect', 'connect6', 'getsockname', 'getpeername', 'setNoDelay', 'setKeepAlive', 'setTypeOfService', 'getTypeOfService', 'reset'],
  Pipe: ['open', 'bind', 'listen', 'connect', 'fchmod'],
  TTY: ['getWindowSize', 'setRawMode'],
  LibuvStreamWrap: [
    'readStart', 'readStop', 'shutdown', 'useUserBuffer', 'writev', 'writeBuffer', 'writeAsciiString', 'writeUtf8String', 'writeUcs2String', 'writeLatin1String',
    'isStreamBase', 'onread', 'fd', '_externalStream', 'bytesRead', 'bytesWritten', 'writeQueueSize', 'setBlocking', 'hasPendingRead',
  ],
  HandleWrap: ['close', 'hasRef', 'ref', 'unref'],
  AsyncWrap: ['getAsyncId', 'asyncReset', 'getProviderType', 'getAsyncContextFrameForDebuggingOnly'],
  TLSWrap: [
    'start', 'renegotiate', 'destroySSL', 'setServername', 'getServername', 'setSession', 'getSession', 'setVerifyMode', 'verifyError', 'setALPNProtocols', 'getALPNNegotiatedProtocol',
    'getPeerCertificate', 'getCertificate', 'getX509Certificate', 'getPeerX509Certificate', 'getCipher', 'getProtocol', 'getEphemeralKeyInfo', 'isSessionReused', 'getFinished', 'getPeerFinished',
    'getTLSTicket', 'getSharedSigalgs', 'exportKeyingMaterial', 'requestOCSP', 'setMaxSendFragment', 'setKeyCert', 'enableTrace', 'enableKeylogCallback', 'enableSessionCallbacks',
    'enablePskCallback', 'setPskIdentityHint', 'enableALPNCb', 'enableCertCb', 'certCbDone', 'clientHelloDone', 'endParser', 'loadSession', 'newSessionDone', 'setOCSPResponse', 'receive',
    'writesIssuedByPrevListenerDone', 'hasPeerCertificate',
  ],
};

const LIST = `
  const names = (prototype) => Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
  const { TCP } = process.binding('tcp_wrap');
  const stream = Object.getPrototypeOf(TCP.prototype), handle = Object.getPrototypeOf(stream);
  console.log(JSON.stringify({
    TCP: names(TCP.prototype), Pipe: names(process.binding('pipe_wrap').Pipe.prototype), TTY: names(process.binding('tty_wrap').TTY.prototype),
    LibuvStreamWrap: names(stream), HandleWrap: names(handle), AsyncWrap: names(Object.getPrototypeOf(handle)), TLSWrap: names(process.binding('tls_wrap').TLSWrap.prototype),
  }));
`;

test.each([process.execPath, ...nodes()])('%s', (node) => {
  const found = JSON.parse(execFileSync(node, ['--no-warnings', '-e', LIST], { encoding: 'utf8' })) as Record<string, string[]>;
  // TLS streams have the methods of every other stream.
  const known = (type: string): readonly string[] => [...(KNOWN[type] ?? []), ...(type === 'TLSWrap' ? (KNOWN['LibuvStreamWrap'] ?? []) : [])];
  const unknown = Object.entries(found).flatMap(([type, names]) => names.filter((name) => !known(type).includes(name)).map((name) => `${type}.${name}`));
  expect(unknown).toEqual([]);
});

/** CI installs them after this suite, so here they may be missing. */
function nodes(): string[] {
  const folder = join(ROOT, 'test/nodes/node_modules');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => name.startsWith('node-')).map((name) => join(folder, name, 'bin/node'));
}
