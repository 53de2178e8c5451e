import vm from 'node:vm';
console.log(vm.runInNewContext('[Date.now(), Math.random()].join()'));
