// What the linter holds for. Formatting is nobody's business here; types are tsc's (`npm run typecheck`).
import importX from 'eslint-plugin-import-x';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

// Code that shares a process with an agent takes clocks, timers, randomness, files and sockets from
// src/runtime/natives.ts: what the agent replaces must not reach it, and what it does must not reach the journal.
const PRISTINE = 'take the pristine original from src/runtime/natives.ts';
const GLOBALS = [
  'Date', 'setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate', 'queueMicrotask',
  'fetch', 'crypto', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'FinalizationRegistry', 'WeakRef',
];
const PROPERTIES = [
  ['Math', 'random'], ['performance', 'now'], ['process', 'env'], ['process', 'nextTick'], ['process', 'cwd'],
  ...['setTimeout', 'setImmediate', 'crypto'].map((name) => ['globalThis', name]),
];
const MODULES = ['fs', 'fs/promises', 'os', 'crypto', 'timers', 'timers/promises', 'perf_hooks', 'net', 'tls', 'http', 'https', 'http2', 'dns', 'dgram'];

export default defineConfig(
  { ignores: ['dist/', 'dist.*/', 'coverage/', '.replay/', 'test/recordings/', 'test/cases/packages/agents/*.ts'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    plugins: { 'import-x': importX },
    settings: { ...importX.flatConfigs.typescript.settings, 'import-x/resolver-next': [importX.createNodeResolver()] },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ['*.config.ts'] }, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false }],
      'import-x/no-default-export': 'error',
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      // tsc reports these itself.
      '@typescript-eslint/no-unused-vars': 'off',
      // Patched functions: a `this` of their own beside the boundary's, originals taken off their objects, arguments of any kind.
      '@typescript-eslint/no-this-alias': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      // A cast says what an untyped value of the runtime is, also where `any` would pass.
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      // Values of a recording may be anything, and are shown as text.
      '@typescript-eslint/no-base-to-string': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
      // `async` also makes a rejection of what is thrown.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['src/**/*.ts', 'loader/**/*.ts'],
    // The command line and the proxy run in a process of their own, and so does who imports it as a library; the preload runs before anybody else and only picks a bundle.
    ignores: ['src/runtime/**', 'src/cli/**', 'src/proxy/**', 'src/api/**', 'src/analysis/embedding-endpoint.ts', 'loader/preload.ts'],
    rules: {
      'no-restricted-globals': ['error', ...GLOBALS.map((name) => ({ name, message: PRISTINE }))],
      'no-restricted-properties': ['error', ...PROPERTIES.map(([object, property]) => ({ object, property, message: PRISTINE }))],
      '@typescript-eslint/no-restricted-imports': ['error', { paths: MODULES.flatMap((name) => [name, `node:${name}`]).map((name) => ({ name, allowTypeImports: true, message: PRISTINE })) }],
    },
  },
  // The one place where a function of any signature has a name; the bundle that is CommonJS; what tools want as a default export.
  { files: ['src/runtime/patches.ts'], rules: { '@typescript-eslint/no-explicit-any': 'off' } },
  { files: ['loader/preload.ts'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
  { files: ['**/*.d.ts', '*.config.ts', 'test/support/global-setup.ts'], rules: { 'import-x/no-default-export': 'off' } },
  // Node's servers and emitters take async listeners.
  { files: ['test/**/*.ts'], rules: { '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }] } },
  {
    files: ['**/*.{js,mjs,cjs}'],
    extends: [tseslint.configs.recommended],
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none' }],
      '@typescript-eslint/no-require-imports': 'off',
    },
  },
  // Agents under test are programs as people write them.
  { files: ['test/agents/**', 'test/cases/packages/agents/**'], rules: { '@typescript-eslint/no-unused-vars': 'off', '@typescript-eslint/no-unused-expressions': 'off', 'prefer-const': 'off', 'no-var': 'off', eqeqeq: 'off' } },
);
