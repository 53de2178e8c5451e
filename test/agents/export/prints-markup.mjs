// Prints what would be markup, and what would turn text around.
console.log('</pre><b>bold</b><script>alert(1)</script>', '\u202eevil', '\u001b[2J', process.argv[2]);
