// Everything that WebCrypto does, in races; what this version of Node does not have is left out.
const { subtle } = crypto;
const order = [];
const hex = (value) => Buffer.from(value).toString('hex').slice(0, 24);
const shown = (value) => (value instanceof ArrayBuffer ? hex(value) : value?.publicKey ? `pair ${value.publicKey.algorithm.name}` : value instanceof CryptoKey ? `${value.type} ${value.algorithm.name} ${value.extractable} ${value.usages}` : typeof value === 'object' ? JSON.stringify(value).slice(0, 60) : String(value));
const show = (name, promise) => promise.then((value) => order.push(`${name} ${shown(value)}`), (error) => order.push(`${name} ${error.name} ${error.message}`));
const data = new TextEncoder().encode('a text');
const key = (format, bytes, ...rest) => subtle.importKey(format, bytes, ...rest);
const raw = new Uint8Array(32).map((_, i) => i);
const [aes, hmac, password, hkdf] = await Promise.all([key('raw', raw, 'AES-CBC', true, ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey']), key('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign', 'verify']), key('raw', raw, 'PBKDF2', false, ['deriveBits', 'deriveKey']), key('raw', raw, 'HKDF', false, ['deriveKey', 'deriveBits'])]);
const iv = new Uint8Array(16);
const pairs = await Promise.all([subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits', 'deriveKey']), subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits']), subtle.generateKey({ name: 'RSA-OAEP', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }, true, ['encrypt', 'decrypt']), subtle.generateKey({ name: 'RSASSA-PKCS1-v1_5', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }, true, ['sign', 'verify']), subtle.generateKey('Ed25519', true, ['sign', 'verify'])]);
const [one, other, oaep, rsa, ed] = pairs;
const sealed = await subtle.encrypt({ name: 'AES-CBC', iv }, aes, data);
const oaepSealed = await subtle.encrypt('RSA-OAEP', oaep.publicKey, data);
const wrapped = await subtle.wrapKey('raw', hmac, aes, { name: 'AES-CBC', iv });
await Promise.all([
  ...['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512', 'SHA-3'].map((name, i) => show(name, subtle.digest(name, new Uint8Array((5 - i) * 40_000)))),
  show('decrypt', subtle.decrypt({ name: 'AES-CBC', iv }, aes, sealed)),
  show('decrypt oaep', subtle.decrypt('RSA-OAEP', oaep.privateKey, oaepSealed)),
  show('decrypt damaged', subtle.decrypt({ name: 'AES-CBC', iv }, aes, new Uint8Array(5))),
  show('sign hmac', subtle.sign('HMAC', hmac, data)),
  show('sign rsa', subtle.sign('RSASSA-PKCS1-v1_5', rsa.privateKey, data)),
  show('sign ed', subtle.sign('Ed25519', ed.privateKey, data)),
  show('verify', subtle.sign('HMAC', hmac, data).then((signature) => subtle.verify('HMAC', hmac, signature, data))),
  show('verify not', subtle.verify('Ed25519', ed.publicKey, new Uint8Array(64), data)),
  show('bits', subtle.deriveBits({ name: 'PBKDF2', salt: raw, iterations: 500, hash: 'SHA-256' }, password, 128)),
  show('key', subtle.deriveKey({ name: 'HKDF', salt: raw, info: data, hash: 'SHA-256' }, hkdf, { name: 'AES-GCM', length: 128 }, true, ['encrypt'])),
  show('agreed', subtle.deriveBits({ name: 'ECDH', public: other.publicKey }, one.privateKey, 128)),
  show('exported', subtle.exportKey('jwk', hmac)),
  show('spki', subtle.exportKey('spki', one.publicKey)),
  show('hidden', subtle.exportKey('pkcs8', other.privateKey)),
  show('unwrapped', subtle.unwrapKey('raw', wrapped, aes, { name: 'AES-CBC', iv }, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign'])),
  show('imported wrongly', key('raw', new Uint8Array(3), 'AES-GCM', true, ['encrypt'])),
  show('generated', subtle.generateKey({ name: 'AES-CTR', length: 128 }, true, ['encrypt']).then((made) => subtle.exportKey('raw', made))),
  show('unknown', subtle.generateKey({ name: 'NONE' }, true, ['encrypt'])),
  ...(subtle.getPublicKey ? [show('public', subtle.getPublicKey(ed.privateKey, ['verify']))] : []),
  show('timer', new Promise((resolve) => setTimeout(resolve, 1))),
]);
console.log(order);
if (subtle.encapsulateBits) {
  const kem = await subtle.generateKey('ML-KEM-512', true, ['encapsulateBits', 'decapsulateBits', 'encapsulateKey', 'decapsulateKey']);
  const { sharedKey, ciphertext } = await subtle.encapsulateBits('ML-KEM-512', kem.publicKey);
  console.log(hex(sharedKey), hex(await subtle.decapsulateBits('ML-KEM-512', kem.privateKey, ciphertext)));
}
console.log(globalThis.SubtleCrypto.supports?.('digest', 'SHA-256'));
