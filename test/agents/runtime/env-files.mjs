// Variables from files: given by an option before the first line, loaded later, parsed as text; run with --env-file.
import { parseEnv } from 'node:util';
console.log(process.env.FROM_OPTION, process.env.MULTI, process.env.SHARED);
process.loadEnvFile(process.env.LATER_FILE);
console.log(process.env.FROM_CALL, process.env.SHARED, Object.keys(process.env).filter((name) => name.startsWith('FROM_')).sort());
process.loadEnvFile();
console.log(process.env.FROM_DEFAULT, process.env.EMPTY);
for (const bad of [() => process.loadEnvFile('/no/such/file.env'), () => process.loadEnvFile(3)]) try { bad(); } catch ({ name, code, syscall, path }) { console.log(name, code, syscall, path); }
console.log(parseEnv('A=1\nB="two # words" # more\nexport C=\'x\'\n# none\nD=`a\nb`'));
