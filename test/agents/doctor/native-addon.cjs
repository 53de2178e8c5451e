// Loads code that the harness cannot see into.
process.dlopen({ exports: {} }, process.env.ADDON);
console.log('loaded');
