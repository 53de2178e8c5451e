process.on('SIGTERM', () => {
  console.log('told to end');
  process.exit();
});
console.log('before');
setInterval(() => {}, 60_000);
