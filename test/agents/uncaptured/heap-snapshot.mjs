import { writeHeapSnapshot } from 'node:v8';

console.log('before');
try {
  writeHeapSnapshot('touched');
} catch (error) {
  console.log(error.message);
}
