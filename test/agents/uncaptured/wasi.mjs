console.log('before');
const { WASI } = process.getBuiltinModule('node:wasi');
try {
  const wasi = new WASI({ version: 'preview1', preopens: { '/here': '.' } });
  console.log(typeof wasi.wasiImport.path_create_directory);
} catch (error) {
  console.log(error.message);
}
