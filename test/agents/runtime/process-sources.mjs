// What the process, the system and the engine say of themselves, one after the other; and what a program sets there.
import os from 'node:os';
import v8 from 'node:v8';
import util from 'node:util';
console.log(process.availableMemory?.(), process.constrainedMemory(), process.resourceUsage(), process.cpuUsage(), process.threadCpuUsage?.(), process.memoryUsage.rss());
console.log(process.hrtime(), process.hrtime.bigint(), process.uptime(), process.getActiveResourcesInfo(), process.features, process.release.lts, process.versions.v8, process.arch, process.platform);
console.log(process.getuid(), process.geteuid(), process.getgid(), process.getegid(), process.getgroups(), process.umask().toString(8), process.umask(0o27).toString(8), process.umask(0o22).toString(8));
console.log(os.loadavg(), os.cpus().map(({ times, speed }) => [times.user, speed]), os.networkInterfaces(), os.userInfo(), os.userInfo({ encoding: 'buffer' }).username, os.uptime(), os.version(), os.machine(), os.type(), os.endianness(), os.devNull, os.getPriority(), os.constants.signals.SIGINT);
console.log(v8.getHeapStatistics(), v8.getHeapSpaceStatistics()[0], v8.getHeapCodeStatistics(), v8.cachedDataVersionTag(), v8.getCppHeapStatistics?.().committed_size_bytes);
const report = process.report.getReport();
console.log(report.header.dumpEventTime, report.header.loadavg, report.resourceUsage.cpuPercent, Object.keys(report), report.libuv?.length, report.workers.length);
console.log(globalThis.navigator?.hardwareConcurrency, globalThis.navigator?.userAgent, globalThis.navigator?.platform, globalThis.navigator?.languages);
const profiler = v8.GCProfiler && new v8.GCProfiler();
profiler?.start();
console.log(Object.keys(profiler?.stop() ?? {}), profiler?.stop());
process.env.ADDED = '1';
process.env.PATH += ':/added';
delete process.env.HOME;
process.env.NUMBER = 7;
console.log(process.env.ADDED, process.env.PATH, process.env.HOME, process.env.NUMBER, 'ADDED' in process.env, Object.keys(process.env).filter((name) => name === 'NUMBER'), os.homedir());
const { HOME: gone, ...rest } = process.env;
console.log(gone, Object.keys(rest).length, JSON.stringify(process.env).length);
try { process.chdir('/no/such/folder'); } catch ({ code, path, dest }) { console.log(code, path, dest); }
process.chdir('/tmp');
console.log(process.cwd(), process.env.PWD === undefined);
for (const bad of [() => process.umask('nine'), () => process.hrtime(1), () => process.cpuUsage({ user: 'x' }), () => os.getPriority(-2), () => process.setuid('no such user'), () => process.initgroups('no such user', 'nor group')]) try { console.log(bad()); } catch ({ name, code, message }) { console.log(name, code, message); }
console.log(util.getSystemErrorName(-2), process.allowedNodeEnvironmentFlags.has('--inspect'), process.config.variables.napi_build_version, process.binding('uv').UV_EOF, process.getBuiltinModule('os') === os, process.getBuiltinModule('nothing'));
console.log(process.getActiveResourcesInfo().length, process.title.length > 0, process.execPath === process.argv[0], process.debugPort, process.sourceMapsEnabled);
