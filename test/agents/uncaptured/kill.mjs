console.log('before');
console.log(process.kill(process.ppid, 0));
