// Code that the program writes and then runs: in one go, by a rename, in new folders, changed in between; removed again.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
const require = createRequire(`${process.cwd()}/x.cjs`);
const url = (name) => `file://${process.cwd()}/${name}`;
fs.writeFileSync('plain.cjs', 'module.exports = 1;');
console.log(require('./plain.cjs'), require.resolve('./plain.cjs') === `${process.cwd()}/plain.cjs`);
fs.writeFileSync('plain.cjs', 'module.exports = 2;');
delete require.cache[require.resolve('./plain.cjs')];
console.log(require('./plain.cjs'));
await mkdir('gen/tools', { recursive: true });
await writeFile('gen/tools/tool.mjs.tmp', 'import { base } from "../base.mjs"; export const run = (x) => x * base;');
await rename('gen/tools/tool.mjs.tmp', 'gen/tools/tool.mjs');
await appendFile('gen/tools/tool.mjs', '\nexport const name = "tool";');
const stream = fs.createWriteStream('gen/base.mjs');
stream.write('export const ');
await new Promise((resolve) => stream.end('base = 7;', resolve));
fs.writeFileSync('gen/data.json', '{"a":[1,2]}');
const tool = await import(url('gen/tools/tool.mjs'));
console.log(tool.run(6), tool.name, require('./gen/data.json'));
fs.symlinkSync('gen', 'linked');
console.log((await import(url('linked/tools/tool.mjs'))).run(2));
fs.renameSync('gen', 'moved');
fs.unlinkSync('linked');
console.log((await import(`${url('moved/base.mjs')}?again`)).base);
await rm('moved', { recursive: true });
console.log(await import(url('moved/base.mjs')).catch(({ code }) => code));
try { require('./plain-absent.cjs'); } catch ({ code, message }) { console.log(code, message.split('\n')[0].replace(process.cwd(), '')); }
