// Code in vm contexts reads clocks and randomness too.
import vm from 'node:vm';
console.log(vm.runInNewContext('[Date.now(), Math.random(), new Date().getTime(), typeof Date()]'));
const context = vm.createContext({ console, log: [] });
vm.runInContext('log.push(Date.now(), Math.random()); class D extends Date {}; log.push(new D().getTime(), new Date(0).toISOString())', context);
console.log(context.log);
console.log(new vm.Script('Date.now() - start >= 0 && Math.random()').runInNewContext({ start: Date.now() }));
console.log(vm.runInThisContext('[Date.now(), Math.random(), Date === globalThis.Date]'));
console.log(vm.isContext(context), Object.keys(context), vm.runInContext('[] instanceof Array', context), vm.runInContext('[]', context) instanceof Array);
const run = vm.compileFunction('return [Date.now(), Math.random(), now]', ['now'], { parsingContext: context });
console.log([...run(1)]);
await new Promise((resolve) => vm.runInNewContext('later(() => done(Date.now()), 5)', { later: setTimeout, done: (now) => resolve(console.log(now)) }));
