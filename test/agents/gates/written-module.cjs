// A module that the program itself has written, and a package whose entry has to be looked for.
const fs = require('node:fs');
fs.mkdirSync('made');
fs.writeFileSync('made/index.js', 'module.exports = "found";');
console.log(require('./made'));
