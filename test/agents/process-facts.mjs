// What a process knows about itself and its machine.
import os from 'node:os';
import v8 from 'node:v8';
console.log(process.pid, process.ppid, process.title, process.argv.slice(2), process.argv0, process.execArgv, process.version);
console.log(process.cwd(), process.env.MARK, 'MARK' in process.env, Object.keys(process.env).filter((name) => name.startsWith('SERVER_')).sort());
console.log(process.memoryUsage(), process.memoryUsage.rss(), process.cpuUsage(), process.cpuUsage(process.cpuUsage()), process.resourceUsage().maxRSS);
console.log(process.uptime(), process.getuid(), process.umask(), process.availableMemory?.(), process.constrainedMemory?.(), process.getActiveResourcesInfo());
console.log(os.hostname(), os.cpus().length, os.cpus()[0].times, os.freemem(), os.totalmem(), os.loadavg(), os.uptime(), `${os.hostname}`);
console.log(os.tmpdir(), os.homedir(), os.userInfo().username, Object.keys(os.networkInterfaces()), os.release(), os.availableParallelism());
console.log(v8.getHeapStatistics().used_heap_size, process.report?.reportOnFatalError, process.release.name, process.features.inspector);
process.env.ADDED = 'by the agent';
delete process.env.MARK;
console.log(process.env.ADDED, process.env.MARK, Object.keys(process.env).includes('ADDED'));
process.title = 'agent at work';
console.log(process.title, process.stdout.isTTY, process.stdin.isTTY, process.stdout.columns, process.stdout.fd);
process.chdir('/');
console.log(process.cwd(), import.meta.url.endsWith('process-facts.mjs'), import.meta.filename === process.argv[1]);
console.log(process.listenerCount('exit'), process.listenerCount('beforeExit'), process.eventNames(), Object.keys(process).length, Object.keys(globalThis));
