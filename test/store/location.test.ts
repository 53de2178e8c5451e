import { expect, it } from 'vitest';
import { requirePlace, withoutPassword } from '../../src/store/location.ts';

it.each(['.replay', '/srv/store', 'odd folder:x', 'postgres://ana:pw@db:5432/replay', 'postgresql:///replay?host=/run/postgresql'])('%s is a place', (location) => {
  expect(() => requirePlace(location)).not.toThrow();
});

it.each([
  ['http://h/replay', /takes a folder, or postgres:/], ['POSTGRES://ana:hidden@db/replay', /takes a folder, or postgres:/], ['postgres://ana:hid#den@db:5432/replay', /store postgres:\/\/ana… is no URL.*# as %23/],
])('%s is none', (location, said) => {
  expect(() => requirePlace(location)).toThrow(said);
  expect(() => requirePlace(location)).not.toThrow(/hid/);
});

it('is shown without a password', () => {
  expect(withoutPassword('postgres://ana:hi@dden@db/replay?password=hidden&x=1')).toBe('postgres://ana@db/replay?password=…&x=1');
});
