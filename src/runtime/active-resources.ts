/** What keeps the loop going, as the runtime itself counts it. */
const listed: () => string[] = process.getActiveResourcesInfo.bind(process);
/** Undocumented and in every version: the request objects themselves. */
const requests: () => object[] = (process as unknown as { _getActiveRequests: () => object[] })._getActiveRequests.bind(process);

/** Requests that no native call got: the log answers them. The runtime counts them among its own until they are collected. */
const standIns = new WeakSet<object>();
/** Held while the runtime's list is read. */
let held: readonly object[] | undefined;

/** @param request a native request object that is made and never handed to the runtime */
export function standsIn(request: object): void {
  standIns.add(request);
}

/**
 * Names of the native resources that are alive, as `process.getActiveResourcesInfo` gives them, without requests that stand in.
 *
 * That function makes a string for each request while it walks the list of them. A collection in between frees a request that
 * nothing refers to and that was never sent, and the walk goes on from freed memory: so each is referred to, as long as it walks.
 */
export function activeResources(): string[] {
  held = requests();
  const names = listed();
  for (const request of held) {
    if (!standIns.has(request)) continue;
    const at = names.indexOf(request.constructor.name);
    if (at !== -1) names.splice(at, 1);
  }
  held = undefined;
  return names;
}
