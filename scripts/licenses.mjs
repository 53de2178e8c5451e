// Licenses of the packages whose code ends up in our bundles: they ask to be passed on with it. Where a package comes without
// its text and names ours, ours is its text.
import { readdirSync, readFileSync } from 'node:fs';

const OWNER = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\/.*$/;

/**
 * @param {string} root
 * @param {readonly import('esbuild').Metafile[]} metafiles
 */
export function thirdPartyLicenses(root, metafiles) {
  const files = [...new Set(metafiles.flatMap(({ inputs }) => Object.keys(inputs)))].sort();
  const packages = new Map(files.flatMap((file) => {
    const [, folder, name] = OWNER.exec(file) ?? [];
    return folder ? [[name, { folder: `${root}/${folder}`, file: `${root}/${file}` }]] : [];
  }));
  return [...packages].map(([name, { folder, file }]) => {
    const { version, license, author } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    const isShared = license === 'Apache-2.0' && !ownText(folder);
    return `${name} ${version} (${license})\n\n${isShared ? `${author?.name ?? author ?? name}\n\n${readFileSync(`${root}/LICENSE`, 'utf8').trim()}` : licenseText(folder, file, license, author).trim()}\n`;
  }).join(`\n${'-'.repeat(80)}\n\n`);
}

/** @returns the name of the package's license file */
function ownText(/** @type {string} */ folder) {
  return readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
}

/** The package's license file, else the chapter of its readme, else the comment at the head of its code, else what its package.json names. */
function licenseText(/** @type {string} */ folder, /** @type {string} */ file, /** @type {string | undefined} */ license, /** @type {string | { name: string } | undefined} */ author) {
  const own = ownText(folder);
  if (own) return readFileSync(`${folder}/${own}`, 'utf8');
  const readme = readdirSync(folder).find((name) => /^readme/i.test(name));
  const [, chapter] = (readme && /^#+ *licen[cs]e\s*\n([^]*?Copyright[^]*)/im.exec(readFileSync(`${folder}/${readme}`, 'utf8'))) || [];
  if (chapter) return chapter;
  const [comment] = /^(?:\/\/.*\n|\s*\n)+/.exec(readFileSync(file, 'utf8')) ?? [];
  if (!comment?.includes('Copyright')) {
    if (license === undefined) throw new Error(`${folder} has no license text that could be passed on`);
    // All that its makers say of it.
    return `Licensed under ${license}, as its package.json says${author ? ` (${typeof author === 'string' ? author : author.name})` : ''}; the package comes with no further text.`;
  }
  return comment.replaceAll(/^\/\/ ?/gm, '');
}
