// What surrounds a program: listeners, handles, hooks, reports, figures by name. Numbers are set aside.
import http from 'node:http'; import https from 'node:https'; import net from 'node:net'; import dc from 'node:diagnostics_channel'; import * as ah from 'node:async_hooks'; import { createRequire } from 'node:module'; import v8 from 'node:v8'; import { performance, PerformanceObserver } from 'node:perf_hooks'; import inspector from 'node:inspector'; import { inspect } from 'node:util';
const require = createRequire(import.meta.url);
const show = (name, ...v) => console.log(name, ...v);
show('events', process.eventNames(), process.eventNames().map((e) => process.listenerCount(e)), process.getMaxListeners());
for (const s of ['stdin', 'stdout', 'stderr']) { const x = process[s]; show(s, x.constructor.name, x.eventNames(), x.eventNames().map((e) => x.listenerCount(e)), Reflect.ownKeys(x).map(String).join(), x._handle && inspect(x._handle, { depth: 0 }).replace(/\d+/g, 'N'), x.fd, x.isTTY, x.writableHighWaterMark, x.readableHighWaterMark, x._type); }
show('handles', process._getActiveHandles().map((h) => h.constructor.name), process._getActiveRequests().length, process.getActiveResourcesInfo());
show('ids', ah.executionAsyncId(), ah.triggerAsyncId(), Object.keys(ah.executionAsyncResource()).length);
show('agents', http.globalAgent.eventNames(), https.globalAgent.eventNames(), http.globalAgent.listenerCount('free'));
const s = new net.Socket(); show('socket', s.eventNames(), Reflect.ownKeys(s).map(String).sort().join());
const sv = http.createServer(); show('server', sv.eventNames(), Reflect.ownKeys(sv).map(String).sort().join());
const ac = new AbortController(); show('signal', Reflect.ownKeys(ac.signal).map(String), require('node:events').getEventListeners(ac.signal, 'abort').length, ac);
for (const c of ['http.client.request.start', 'undici:request:create', 'net.client.socket', 'child_process', 'worker_threads', 'module.require.start', 'tracing:fs', 'http.server.request.start', 'undici:client:connected', 'console.log', 'process']) show(c, dc.hasSubscribers(c));
show('require', Object.keys(require.cache), require.main, module_());
function module_() { return typeof module; }
show('features', process.features, process.release.name, process.config.variables.napi_build_version, process.allowedNodeEnvironmentFlags.size, process.debugPort, process.exitCode, process.connected, process.channel, process._exiting, process.domain, process.report && Object.keys(process.report), process.permission, process.sourceMapsEnabled, process.throwDeprecation, process.traceDeprecation, process.noDeprecation, process.traceProcessWarnings);
show('v8', Object.keys(v8.getHeapStatistics()), v8.getHeapSpaceStatistics().map((x) => x.space_name).length, v8.startupSnapshot.isBuildingSnapshot());
show('perf', performance.getEntries().length, Object.keys(performance.nodeTiming), Object.keys(performance.toJSON()), PerformanceObserver.supportedEntryTypes, performance.nodeTiming.name, performance.nodeTiming.entryType);
show('trace', require('node:trace_events').getEnabledCategories(), inspector.url(), inspector.console === undefined);
show('report', Object.keys(process.report.getReport()), process.report.getReport().javascriptStack.message, process.report.getReport().header.commandLine.length > 0);
show('env', Object.keys(process.env).sort().filter((k) => k !== '_'), process.argv.length,  process.execPath === process.argv[0], process.stdin.isPaused());
show('error', Error.stackTraceLimit, Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit'), Error.captureStackTrace.length, typeof Error.prepareStackTrace, Error.prepareStackTrace?.name);
show('als', new ah.AsyncLocalStorage().getStore());
const numberless = (value) => console.log(inspect(value).replace(/(_idleStart|Id\)\]?): \d+/g, '$1: N'));
console.log(setTimeout(() => {}, 5).ref().constructor.name, setImmediate(() => {}).constructor.name);
const t = setTimeout(() => {}, 1500); numberless(t); clearTimeout(t); numberless(t); const i = setInterval(() => {}, 7); numberless(i); clearInterval(i); console.log(i.hasRef(), t.hasRef());
process.on('exit', (c) => { show('at exit', c, process.eventNames(), process._exiting, process.getActiveResourcesInfo()); });
