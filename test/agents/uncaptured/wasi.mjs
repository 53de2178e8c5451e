console.log('before');
const { WASI } = process.getBuiltinModule('node:wasi');
const { wasiImport } = new WASI({ version: 'preview1' });
try {
  const other = new wasiImport.constructor([], [], ['/here', '.'], [0, 1, 2]);
  console.log(typeof other.path_create_directory);
} catch (error) {
  console.log(error.message);
}
