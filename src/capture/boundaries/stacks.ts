/** What ran a macrotask shows at the bottom of its errors' stacks: a value of the run. */
import { bufferFrom, jsonParse, jsonStringify } from '../../runtime/natives.ts';
import { describeSite, filterStacks, type RecordedSite, siteFrom } from '../../runtime/stack.ts';
import type { Session } from '../session.ts';

export function installStacks(session: Session): void {
  filterStacks((error, sites) => {
    let live = false;
    const recorded = session.value('stack', jsonStringify([error]), () => {
      live = true;
      return { status: 0, data: bufferFrom(jsonStringify(sites.map(describeSite))) };
    });
    return live ? sites : (jsonParse(bufferFrom(recorded.data).toString()) as RecordedSite[]).map(siteFrom);
  });
}
