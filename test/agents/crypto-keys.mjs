// Keys and signatures: generated at once and later, exported, signed with; key agreement.
import crypto from 'node:crypto';
import { promisify } from 'node:util';
const show = (key) => key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' }).replace(/-----[^-]+-----|\n/g, '').slice(0, 60);
const ec = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
console.log(ec.privateKey.type, ec.privateKey.asymmetricKeyType, show(ec.privateKey), show(ec.publicKey));
const ed = await promisify(crypto.generateKeyPair)('ed25519');
console.log(show(ed.privateKey), crypto.sign(null, Buffer.from('text'), ed.privateKey).toString('hex').slice(0, 40));
const { publicKey, privateKey } = crypto.generateKeyPairSync('rsa', { modulusLength: 1024, publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem' } });
console.log(publicKey.length, privateKey.slice(30, 90));
const signature = crypto.createSign('sha256').update('text').sign(ec.privateKey, 'hex');
console.log(signature, crypto.createVerify('sha256').update('text').verify(ec.publicKey, signature, 'hex'));
const sealed = crypto.publicEncrypt(publicKey, Buffer.from('secret'));
console.log(sealed.toString('base64').slice(0, 40), crypto.privateDecrypt(privateKey, sealed).toString());
console.log(await promisify(crypto.sign)('sha256', Buffer.from('later'), ec.privateKey));
const [alice, bob] = [crypto.createECDH('secp256k1'), crypto.createECDH('secp256k1')];
console.log(alice.generateKeys('hex'), alice.computeSecret(bob.generateKeys()).equals(bob.computeSecret(alice.getPublicKey())));
console.log(crypto.generateKeySync('hmac', { length: 64 }).export(), (await promisify(crypto.generateKey)('aes', { length: 128 })).export());
console.log(await promisify(crypto.scrypt)('password', 'salt', 16), await promisify(crypto.pbkdf2)('password', 'salt', 1000, 16, 'sha256'), Buffer.from(await promisify(crypto.hkdf)('sha256', 'k', 's', 'i', 8)));
