// Types of the library entries: a declaration file for each source that one of them needs, and no other.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

const IMPORT = /(\bfrom |\bimport\()(['"])(\.[^'"]+)\.ts\2/g;

/** @param {string} root @param {readonly string[]} entries @param {string} out */
export function writeDeclarations(root, entries, out) {
  const waiting = [...entries];
  const known = new Set(entries);
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const source = readFileSync(join(root, file), 'utf8');
    const { outputText, diagnostics } = ts.transpileDeclaration(source, { fileName: file, compilerOptions: { declaration: true, isolatedDeclarations: true, target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, verbatimModuleSyntax: true } });
    if (diagnostics?.length) throw new Error(`${file}: ${ts.flattenDiagnosticMessageText(diagnostics[0]?.messageText ?? '', '\n')}`);
    const imported = [...outputText.matchAll(IMPORT)].map(([, , , path]) => normalize(join(dirname(file), `${path}.ts`)));
    waiting.push(...imported.filter((next) => !known.has(next)));
    for (const next of imported) known.add(next);
    const target = join(out, file.replace(/\.ts$/, '.d.ts'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, outputText.replace(IMPORT, '$1$2$3.js$2'));
  }
}

/** What vitest knows of the matcher is in vitest's own module, which is there for whoever uses it. */
export const VITEST_TYPES = `import type { AssertOptions } from './src/api/assert.js';

export * from './src/api/vitest.js';

declare module 'vitest' {
  interface Matchers<T = any> {
    toReplay(options?: AssertOptions): Promise<void>;
  }
}
`;
