/** Imports run downwards only. */
import { expect, test } from 'vitest';
import { BUNDLED, INSTALLED, LAYERS, type Layer } from './layers.ts';
import { type Import, importsOf, PRODUCT, read } from './sources.ts';

const imports: readonly Import[] = PRODUCT.flatMap(importsOf);
const within = (file: string, place: string): boolean => file === place || file.startsWith(`${place}/`);
const isOurs = ({ to }: Import): boolean => within(to, 'src') || within(to, 'loader') || to === 'package.json';
const isPackage = ({ to }: Import): boolean => !to.startsWith('node:') && !/\.(?:ts|json)$/.test(to);
const shown = ({ from, to, typeOnly }: Import): string => `${from} imports ${typeOnly ? 'types of ' : ''}${to}`;

function layerOf(file: string): Layer | undefined {
  return LAYERS.find(({ folder }) => within(file, folder));
}

function isAllowed({ from, to, typeOnly }: Import): boolean {
  const layer = layerOf(from);
  if (!layer) return false;
  return within(to, layer.folder) || [...layer.imports, ...(typeOnly ? (layer.types ?? []) : [])].some((place) => within(to, place));
}

test('every file belongs to a layer', () => {
  expect(PRODUCT.filter((file) => !layerOf(file))).toEqual([]);
});

test('layers know only those below them', () => {
  expect(imports.filter((entry) => isOurs(entry) && !isAllowed(entry)).map(shown)).toEqual([]);
});

test('what a layer may import, it does import', () => {
  const permissions = LAYERS.flatMap((layer) => [...layer.imports, ...(layer.types ?? [])].map((place) => ({ layer, place })));
  const unused = permissions.filter(({ layer, place }) => !imports.some(({ from, to }) => within(from, layer.folder) && within(to, place)));
  expect(unused.map(({ layer, place }) => `${layer.folder} no longer imports ${place}: take it out of layers.ts`)).toEqual([]);
});

test('imports name the file, with its ending', () => {
  expect(imports.filter(({ to }) => within(to, 'src') || within(to, 'loader')).filter(({ to }) => !to.endsWith('.ts')).map(shown)).toEqual([]);
});

test('each package of others is imported by one module', () => {
  const packageOf = (specifier: string): string => specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
  const importers = new Set(imports.filter(isPackage).map(({ from, to }) => `${packageOf(to)} by ${from}`));
  expect([...importers].sort()).toEqual(Object.entries({ ...BUNDLED, ...INSTALLED }).map(([name, file]) => `${name} by ${file}`).sort());
});

test('users install no package but this one and the embedded database', () => {
  const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string> | undefined>;
  expect({ dependencies: Object.keys(dependencies ?? {}), optionalDependencies, peerDependencies }).toEqual({ dependencies: Object.keys(INSTALLED), optionalDependencies: undefined, peerDependencies: undefined });
});
