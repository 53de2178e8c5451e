/** The files that the file agents read; and what becomes of them before the replay. */
import { mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import type { Workspace } from './workspace.ts';

export function writeFiles(workspace: Workspace): void {
  workspace.write('notes.txt', 'first line\nzweite Zeile: ü, 漢字\n');
  workspace.write('bytes.bin', Uint8Array.from({ length: 256 }, (_, i) => i));
  workspace.write('large.txt', `${'a line of the large file '.repeat(5)}\n`.repeat(2000));
  workspace.write('data.json', '{"name":"Ana","tags":["a","b"]}');
  mkdirSync(workspace.path('folder/sub'), { recursive: true });
  workspace.write('folder/a.txt', 'a');
  workspace.write('folder/sub/b.txt', 'b');
  rmSync(workspace.path('link'), { force: true });
  symlinkSync('notes.txt', workspace.path('link'));
}

/** For what reads files whole: one of many reads, and one of nothing. */
export function writeWholeFiles(workspace: Workspace): void {
  writeFiles(workspace);
  workspace.write('megabytes.bin', Buffer.alloc(3_000_001, 'abc'));
  workspace.write('empty.txt', '');
}

/** Some are gone, some differ, one is new: a replay reads none of them. */
export function spoilFiles(workspace: Workspace): void {
  workspace.write('notes.txt', 'something else altogether');
  utimesSync(workspace.path('notes.txt'), 0, 0);
  for (const name of ['bytes.bin', 'large.txt', 'data.json', 'link']) rmSync(workspace.path(name));
  workspace.write('absent.txt', 'it is there now');
  rmSync(workspace.path('folder'), { recursive: true });
}

/** The workspace's own; everything else an agent has written. */
const OWN = ['.replay', 'config', 'node_modules', 'report.json'];

/** All that an agent wrote: a replay needs none of it, and makes none of it. */
export function removeWritten(workspace: Workspace): void {
  for (const name of readdirSync(workspace.folder)) if (!OWN.includes(name)) rmSync(workspace.path(name), { recursive: true });
}
