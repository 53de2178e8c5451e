// Secrets by key encapsulation (Node 24 and later): at once, later, and of WebCrypto where it has them.
import crypto from 'node:crypto';
import { promisify } from 'node:util';
const later = async (run) => { try { return await run(); } catch (error) { return [error.name, error.code]; } };
if (!crypto.encapsulate) console.log('not here');
else {
  const { publicKey, privateKey } = crypto.generateKeyPairSync('x25519');
  const { sharedKey, ciphertext } = crypto.encapsulate(publicKey);
  console.log(sharedKey, crypto.decapsulate(privateKey, ciphertext).equals(sharedKey));
  const sealed = await promisify(crypto.encapsulate)(publicKey);
  console.log(sealed, (await promisify(crypto.decapsulate)(privateKey, sealed.ciphertext)).equals(sealed.sharedKey));
  crypto.encapsulate(publicKey, (error, result) => console.log(error, Object.keys(result), Buffer.isBuffer(result.sharedKey)));
  setImmediate(() => console.log('immediate'));
  try { crypto.encapsulate('no key'); } catch (error) { console.log(error.code); }
}
const { subtle } = crypto.webcrypto;
if (subtle.encapsulateBits) {
  console.log(await later(async () => {
    const pair = await subtle.generateKey({ name: 'ML-KEM-768' }, true, ['encapsulateBits', 'decapsulateBits', 'encapsulateKey', 'decapsulateKey']);
    const bits = await subtle.encapsulateBits('ML-KEM-768', pair.publicKey);
    const opened = await subtle.decapsulateBits('ML-KEM-768', pair.privateKey, bits.ciphertext);
    const sealed = await subtle.encapsulateKey('ML-KEM-768', pair.publicKey, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']);
    const key = await subtle.decapsulateKey('ML-KEM-768', pair.privateKey, sealed.ciphertext, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']);
    const [there, here] = await Promise.all([sealed.sharedKey, key].map((one) => subtle.exportKey('raw', one)));
    return [pair.publicKey.usages, pair.privateKey.usages, bits, Buffer.from(opened).equals(Buffer.from(bits.sharedKey)), sealed.sharedKey, Buffer.from(there).equals(Buffer.from(here)), (await subtle.getPublicKey(pair.privateKey, ['encapsulateBits'])).usages];
  }));
}
