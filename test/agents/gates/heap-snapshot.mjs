// The runtime's own picture of its memory.
import { getHeapSnapshot } from 'node:v8';
getHeapSnapshot().on('data', () => {}).on('end', () => console.log('taken'));
