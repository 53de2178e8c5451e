// Case S13: the program installs its own fake timers, once without and once with ticks and microtasks, and fetches under them.
import FakeTimers from '@sinonjs/fake-timers';
const url = `${process.env.SERVER_URL}/json`;
const named = process.argv[2] === 'all' ? {} : { toNotFake: ['nextTick', 'queueMicrotask'] };
const realTimeout = setTimeout;
const clock = FakeTimers.install({ now: Date.UTC(2020, 0, 1), ...named });
const settled = (promise) => Promise.race([promise, new Promise((resolve) => realTimeout(resolve, 3000, 'not within three seconds'))]);
const later = new Promise((resolve) => setTimeout(() => resolve(new Date().toISOString()), 1000));
console.log(Date.now(), new Date().toISOString(), performance.now());
console.log('fetched', await settled(fetch(url).then((response) => response.text()).then((text) => typeof JSON.parse(text).id)));
console.log('ticked', await settled(clock.tickAsync(1000)), await settled(later));
console.log(Date.now(), process.hrtime()[0], setTimeout.name, clock.countTimers() > 0);
clock.uninstall();
console.log(Date.now() > Date.UTC(2026, 0, 1), setTimeout === realTimeout);
process.exit(0);
