/** The repository's own files, and what they import. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url));

export interface Import {
  /** Repository path of the importing file. */
  readonly from: string;
  /** Repository path for relative imports, else the specifier. */
  readonly to: string;
  readonly typeOnly: boolean;
}

/** Repository paths below `folder`, without installed packages, sorted. */
export function filesBelow(folder: string, ending: string): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith(ending) && !name.includes('node_modules/')).map((name) => `${folder}/${name}`).sort();
}

export const PRODUCT: readonly string[] = ['src', 'loader'].flatMap((folder) => filesBelow(folder, '.ts'));

export function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** Static imports and re-exports, dynamic `import()`, `import('…')` types. */
export function importsOf(from: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean): void => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return;
    const { text } = specifier;
    found.push({ from, to: text.startsWith('.') ? normalize(join(dirname(from), text)) : text, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node.importClause));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node.arguments[0], false);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(from, read(from), ts.ScriptTarget.Latest));
  return found;
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const bindings = clause.namedBindings;
  return !clause.name && bindings !== undefined && ts.isNamedImports(bindings) && bindings.elements.length > 0 && bindings.elements.every((element) => element.isTypeOnly);
}

/** Tracked files and those about to be; undefined outside of a git checkout. */
export function trackedFiles(): string[] | undefined {
  try {
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return listed.split('\0').filter((name) => name !== '');
  } catch {
    return undefined;
  }
}
