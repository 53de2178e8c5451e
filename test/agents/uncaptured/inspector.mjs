import { Session } from 'node:inspector';
console.log('before');
const session = new Session();
try {
  session.connect();
  session.post('Runtime.evaluate', { expression: 'Date.now()' }, (error, { result }) => console.log(typeof result.value));
} catch (error) {
  console.log(error.message);
}
