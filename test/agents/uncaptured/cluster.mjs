import cluster from 'node:cluster';
import { writeFileSync } from 'node:fs';

if (cluster.isPrimary) {
  console.log('before');
  try {
    const worker = cluster.fork();
    worker.on('exit', () => {});
  } catch (error) {
    console.log(error.message);
  }
} else {
  if (process.env.TOUCHED) writeFileSync(process.env.TOUCHED, '');
  process.exit();
}
