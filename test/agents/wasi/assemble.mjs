// Makes a WebAssembly module: one function that calls what it imports, one call after the other.
const number = (value) => { const bytes = []; let rest = value; do { const low = rest & 127; rest >>>= 7; bytes.push(rest ? low | 128 : low); } while (rest); return bytes; };
const signed = (value) => { const bytes = []; let rest = BigInt(value); for (;;) { const low = Number(rest & 127n); rest >>= 7n; if ((rest === 0n && !(low & 64)) || (rest === -1n && low & 64)) return [...bytes, low]; bytes.push(low | 128); } };
const text = (value) => { const bytes = [...Buffer.from(value)]; return [...number(bytes.length), ...bytes]; };
const list = (items) => [...number(items.length), ...items.flat()];
const section = (id, content) => [id, ...number(content.length), ...content];

/**
 * (module (import MODULE NAME (func …)) … (memory (export "memory") 2) (data (i32.const AT) TEXT) … (func (export NAME) BODY))
 * imports: { name: types of parameters, 'i' 32 and 'I' 64 bits; '…v' without a result }
 * calls: [name, ...arguments] stores its result at 4 bytes times its index; { at }: the argument is read from memory
 */
export function assemble({ module = 'wasi_snapshot_preview1', imports, data = {}, calls, start = '_start' }) {
  const names = Object.keys(imports);
  const types = names.map((name) => [0x60, ...list([...imports[name].replace('v', '')].map((type) => [type === 'I' ? 0x7e : 0x7f])), ...list(imports[name].endsWith('v') ? [] : [[0x7f]])]);
  const value = (name, index, argument) => (argument?.at === undefined ? [imports[name][index] === 'I' ? 0x42 : 0x41, ...signed(argument)] : [0x41, ...signed(argument.at), 0x28, 2, 0]);
  const body = calls.flatMap(([name, ...args], index) => {
    const called = [...args.flatMap((argument, at) => value(name, at, argument)), 0x10, ...number(names.indexOf(name))];
    return imports[name].endsWith('v') ? called : [0x41, ...signed(4 * index), ...called, 0x36, 2, 0];
  });
  const code = [0, ...body, 0x0b];
  return Uint8Array.from([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, list([...types, [0x60, 0, 0]])),
    ...section(2, list(names.map((name, index) => [...text(module), ...text(name), 0, ...number(index)]))),
    ...section(3, list([number(names.length)])),
    ...section(5, list([[0, 2]])),
    ...section(7, list([[...text('memory'), 2, 0], [...text(start), 0, ...number(names.length)]])),
    ...section(10, list([[...number(code.length), ...code]])),
    ...section(11, list(Object.entries(data).map(([at, content]) => [0, 0x41, ...signed(at), 0x0b, ...text(content)]))),
  ]);
}
// A vector of one place, as bytes.
export const vector = (at, length) => Buffer.from(Uint32Array.of(at, length).buffer);
