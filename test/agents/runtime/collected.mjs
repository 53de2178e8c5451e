// What garbage collection shows of itself: finalizers with tokens, references that die, in the turns in which it happened; run with --expose-gc.
const order = [];
const registry = new FinalizationRegistry((held) => order.push(`finalized ${held}`));
const refs = [];
const token = {};
(() => {
  for (let i = 0; i < 6; i++) {
    const target = { i };
    registry.register(target, i, i === 3 ? token : undefined);
    refs.push(new WeakRef(target));
  }
})();
console.log(registry.unregister(token), registry.unregister(token), refs.map((ref) => typeof ref.deref()));
for (let round = 0; round < 50 && refs.some((ref) => ref.deref()); round++) {
  await new Promise((resolve) => setTimeout(resolve, 1));
  gc();
  order.push(`alive ${refs.filter((ref) => ref.deref()).length}`);
}
await (await fetch(`${process.env.SERVER_URL}/json?d=2`)).text();
console.log(order, refs.map((ref) => ref.deref()));
class Own extends WeakRef { get alive() { return this.deref() !== undefined; } }
console.log(new Own(token).alive, new Own(token) instanceof WeakRef, Object.prototype.toString.call(refs[0]));
for (const bad of [() => new WeakRef(1), () => new FinalizationRegistry(1), () => registry.register(1, 2), () => registry.register(token, token)]) try { bad(); } catch ({ name, message }) { console.log(name, message); }
const controller = new AbortController();
const combined = AbortSignal.any([controller.signal, AbortSignal.timeout(1000)]);
gc();
controller.abort('why');
console.log(combined.aborted, combined.reason);
