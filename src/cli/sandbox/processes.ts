/** The processes below one of ours. */
import { readdirSync, readFileSync } from 'node:fs';

/** @returns the process that is `depth` generations below, by first children; the lowest there is where there are not so many */
export function firstBelow(pid: number, depth: number): number {
  const parents = parentOfEach();
  let at = pid;
  for (let level = 0; level < depth; level++) {
    const children = [...parents].filter(([, parent]) => parent === at).map(([child]) => child);
    if (children.length === 0) break;
    at = Math.min(...children);
  }
  return at;
}

function parentOfEach(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It has ended in between.
    }
  }
  return parents;
}
