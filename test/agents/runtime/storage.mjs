// Web storage that lives as long as the process; run with --experimental-webstorage where it is one.
sessionStorage.setItem('one', '1');
sessionStorage.two = Date.now();
sessionStorage['three'] = { toString: () => 'shown' };
console.log(sessionStorage.length, sessionStorage.getItem('one'), sessionStorage.two, sessionStorage.key(0), { ...sessionStorage }, Object.keys(sessionStorage), 'two' in sessionStorage);
delete sessionStorage.two;
sessionStorage.removeItem('one');
console.log(sessionStorage.getItem('one'), sessionStorage.getItem('two'), sessionStorage.three, sessionStorage instanceof Storage);
try { sessionStorage.setItem('large', 'x'.repeat(20_000_000)); } catch ({ name, code }) { console.log(name, code); }
sessionStorage.clear();
console.log(sessionStorage.length, (await (await fetch(`${process.env.SERVER_URL}/json`)).json()).id);
