/** A thread beside a forked program: carries lines between the program, which has no connection of its own, and the command line. */
import { type MessagePort, workerData } from 'node:worker_threads';

export interface ThreadData {
  /** Inherited descriptor that leads to the command line. */
  readonly fd: number;
  readonly port: MessagePort;
}

const { Socket } = process.getBuiltinModule('node:net');
const { fd, port } = workerData as ThreadData;
const socket = new Socket({ fd });
let rest = '';
port.on('message', (line: string) => socket.write(`${line}\n`));
socket.setEncoding('utf8');
socket.on('data', (text: string) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop() as string;
  for (const line of lines) port.postMessage(line);
});
socket.on('error', () => {});
// Nobody is there any more who would answer.
socket.on('close', () => process.kill(process.pid, 'SIGKILL'));
