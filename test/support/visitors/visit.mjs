// A process of its own that visits a service: `node visit.mjs NAME ADDRESS PID`. In parallel and with random pauses; what each
// client saw is printed in an order of its own, so that it can be compared between a bare and a recorded service.
import { parseAddress } from './client.mjs';

const [name, address, pid] = process.argv.slice(2);
const { visit } = await import(`./${name}.mjs`);
const transcript = await visit(parseAddress(address), Number(pid));
console.log(transcript.join('\n'));
