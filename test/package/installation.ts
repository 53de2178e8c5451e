/** The package as a user gets it: packed, and installed into an empty folder. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { type Execution, execute } from '../support/execute.ts';
import { ROOT } from '../support/paths.ts';

const INSTALLED = Object.keys(packageJson.dependencies);

export interface Tarball {
  readonly file: string;
  /** Bytes. */
  readonly size: number;
  readonly paths: readonly string[];
}

export class Installation {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'replay-harness-package-'));
  readonly project: string = join(this.folder, 'project');

  constructor() {
    mkdirSync(this.project);
  }

  /** The build as it is: vitest's global setup made it. */
  async pack(): Promise<Tarball> {
    const { stdout } = await this.run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', this.folder], ROOT);
    const [packed] = JSON.parse(String(stdout)) as [{ filename: string; size: number; files: readonly { path: string }[] }];
    return { file: join(this.folder, packed.filename), size: packed.size, paths: packed.files.map(({ path }) => path).sort() };
  }

  /** Without network: what it needs besides lies in the checkout. */
  async install(tarball: Tarball): Promise<void> {
    this.write('package.json', '{ "name": "somebody", "private": true }\n');
    const { exitCode, stderr } = await this.run('npm', ['install', tarball.file, ...INSTALLED.map((name) => join(ROOT, 'node_modules', name)), '--offline', '--no-audit', '--no-fund']);
    if (exitCode !== 0) throw new Error(`npm install failed:\n${String(stderr)}`);
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.project, name), content);
  }

  has(name: string): boolean {
    return existsSync(join(this.project, name));
  }

  run(program: string, args: readonly string[], cwd: string = this.project, env: Readonly<Record<string, string>> = {}): Promise<Execution> {
    const home = { HOME: this.folder, XDG_CONFIG_HOME: join(this.folder, 'config'), npm_config_cache: join(this.folder, 'cache'), npm_config_update_notifier: 'false' };
    return execute({ program, args, cwd, env: { PATH: process.env['PATH'] ?? '', ...home, ...env } });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
