/** Who may import whom. Data only; imports.test.ts holds it against the sources. */

export interface Layer {
  /** Folder of the layer. */
  readonly folder: string;
  /** What it may import: folders, or single files where only those are meant. */
  readonly imports: readonly string[];
  /** What it may know the types of, and nothing else. */
  readonly types?: readonly string[];
}

export const LAYERS: readonly Layer[] = [
  { folder: 'src/runtime', imports: [] },
  // The model is pure but for the runtime's pristine originals and bindings, which it cannot do without inside an agent's process.
  { folder: 'src/model', imports: ['src/runtime/bindings.ts', 'src/runtime/natives.ts', 'src/runtime/node-error.ts'] },
  { folder: 'src/journal', imports: ['src/model', 'src/runtime'] },
  { folder: 'src/capture', imports: ['src/model', 'src/runtime'], types: ['src/journal'] },
  { folder: 'src/steps', imports: ['src/model', 'src/runtime'] },
  // A replay reads a tape: where it came from is not its business, so no store and no journal.
  { folder: 'src/replay', imports: ['src/model', 'src/runtime', 'src/steps', 'src/capture/random.ts', 'src/capture/session.ts'] },
  { folder: 'src/store', imports: ['src/model', 'src/runtime', 'src/journal', 'src/steps', 'src/analysis', 'src/capture/random.ts'] },
  { folder: 'src/analysis', imports: ['src/model', 'src/runtime', 'src/steps'], types: ['src/store'] },
  { folder: 'src/export', imports: ['src/model', 'src/runtime', 'src/journal', 'src/steps', 'src/store'] },
  // Beside programs that are not Node, in a process of our own: the way in for what they say, and for what they are answered.
  { folder: 'src/proxy', imports: ['src/model', 'src/steps', 'src/replay/serve'], types: ['src/journal'] },
  // The command line never loads what patches a process: it reaches the loader by path.
  { folder: 'src/cli', imports: ['src/model', 'src/journal', 'src/steps', 'src/store', 'src/analysis', 'src/export', 'src/replay/report.ts', 'src/replay/serve', 'src/proxy', 'src/capture/random.ts', 'package.json'], types: ['loader/control.ts', 'src/replay/semantic/network.ts', 'src/replay/halts.ts', 'src/replay/fork/world.ts'] },
  // For programs: what the command line does, without its words.
  { folder: 'src/api', imports: ['src/model', 'src/steps', 'src/store', 'src/cli'] },
  // The composition root: knows everybody, is imported by nobody.
  { folder: 'loader', imports: ['src/model', 'src/runtime', 'src/journal', 'src/capture', 'src/replay', 'src/store'] },
];

/** Packages that end up in the bundles, and the one module that imports each. */
export const BUNDLED: Readonly<Record<string, string>> = {
  '@aws-sdk/client-s3': 'src/store/retention/s3-place.ts',
  diff: 'src/steps/diff/prompt-diff.ts',
  'eventsource-parser': 'src/steps/sse.ts',
  pg: 'src/store/sql/pool.ts',
  msw: 'src/replay/semantic/network.ts',
  seedrandom: 'src/capture/random.ts',
  ws: 'src/cli/debugger/inspector-server.ts',
};

/** Packages that are installed beside ours, since they are more than JavaScript, and the one module that imports each. */
export const INSTALLED: Readonly<Record<string, string>> = {
  '@electric-sql/pglite': 'src/store/sql/pglite.ts',
  '@electric-sql/pglite-pgvector': 'src/store/sql/pglite.ts',
};
