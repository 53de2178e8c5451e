// Where and when: the zone of the environment, another one on the way, the locale, Temporal where there is one.
const day = new Date(Date.UTC(2026, 6, 1, 12));
const show = (name) => console.log(name, process.env.TZ, day.getHours(), day.getTimezoneOffset(), day.toString(), day.toLocaleString('en-GB'), Intl.DateTimeFormat().resolvedOptions().timeZone);
show('at first');
for (const zone of ['Asia/Tokyo', 'America/St_Johns', 'UTC', 'No/Such_Zone']) {
  process.env.TZ = zone;
  show(zone);
}
delete process.env.TZ;
show('none');
const { locale, calendar, numberingSystem } = Intl.DateTimeFormat().resolvedOptions();
console.log(locale, calendar, numberingSystem, new Intl.NumberFormat().format(12345.5), Intl.NumberFormat().resolvedOptions().locale, (12345.5).toLocaleString(), new Intl.Collator().resolvedOptions().locale, globalThis.navigator?.language);
const formatter = new Intl.DateTimeFormat('de', { dateStyle: 'full', timeStyle: 'long', timeZone: 'Europe/Berlin' });
console.log(formatter.format(), formatter.formatToParts().length, formatter.format(day), formatter.formatRange(day, new Date(+day + 1e7)));
console.log(new Date().toString(), new Date().toLocaleTimeString(), String(Date()), new Date().getHours());
if (globalThis.Temporal) {
  const { Now } = Temporal;
  console.log(String(Now.instant()), Now.instant().epochNanoseconds, Now.timeZoneId(), String(Now.plainDateISO()), String(Now.plainTimeISO()), String(Now.plainDateTimeISO('Asia/Tokyo')), String(Now.zonedDateTimeISO()));
  console.log(Now.instant().since(Now.instant()).sign <= 0, String(new Date().toTemporalInstant?.()).length);
  try { Now.plainDateISO('No/Such_Zone'); } catch ({ name }) { console.log(name); }
}
