/** In front of a server: sees what is sent to it, and may bring its answers byte by byte. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { TLS } from '../paths.ts';

export interface Relay {
  readonly port: number;
  /** Answers come in pieces of one byte. */
  cuts: boolean;
  /** What clients have sent so far. */
  sent(): Buffer;
  [Symbol.asyncDispose](): Promise<void>;
}

/** @param secure clients speak TLS with it, the server does not */
export async function relayTo(upstream: number, { secure = false }: { readonly secure?: boolean } = {}): Promise<Relay> {
  const sockets = new Set<Socket>();
  const sent: Buffer[] = [];
  const accept = (client: Socket): void => {
    const behind = connect({ port: upstream, host: '127.0.0.1', noDelay: true });
    sockets.add(client.setNoDelay()).add(behind);
    client.on('data', (bytes) => sent.push(bytes)).pipe(behind);
    let isSaid = Promise.resolve();
    behind.on('data', (bytes) => (isSaid = isSaid.then(() => say(client, bytes))));
    behind.on('end', () => void isSaid.then(() => client.end()));
    for (const [socket, other] of [[client, behind], [behind, client]] as const) socket.on('error', () => other.destroy()).on('close', () => void isSaid.then(() => other.destroy()));
  };
  const server = secure ? createTlsServer({ key: readFileSync(join(TLS, 'key.pem')), cert: readFileSync(join(TLS, 'certificate.pem')) }, accept) : createServer(accept);
  const relay: Relay = {
    get port() {
      return (server.address() as AddressInfo).port;
    },
    cuts: false,
    sent: () => Buffer.concat(sent),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  async function say(client: Socket, bytes: Buffer): Promise<void> {
    for (const piece of relay.cuts ? bytes.toString('latin1') : [bytes]) {
      if (client.writable) client.write(piece, 'latin1');
      if (relay.cuts) await setImmediate();
    }
  }
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return relay;
}
