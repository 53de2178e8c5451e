/** A UDP server that sends back what it gets. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface UdpServer {
  readonly port: number;
  close(): Promise<void>;
}

/** @param port 0: any @param heard is told of each datagram */
export async function startUdpServer(port: number, heard: () => void): Promise<UdpServer> {
  const socket = createSocket('udp4');
  socket.on('message', (message, { address, port: to }) => {
    heard();
    socket.send(`you said: ${message}`.slice(0, 9000), to, address);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return {
    port: (socket.address() as AddressInfo).port,
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}
