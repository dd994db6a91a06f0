import { expect, test } from 'vitest';
import { instantsOfWall } from '../../../lib/domain/time/wall-time.ts';
import { Zone } from '../../../lib/domain/time/zone.ts';

const iso = (instants: number[]) => instants.map((instant) => new Date(instant).toISOString());

test.each([
  ['skip', 'first', []],
  ['runAfter', 'first', ['2027-03-14T07:00:00.000Z']],
] as const)('02:30 in the gap of New York, %s', (gap, fold, wanted) => {
  expect(iso(instantsOfWall(new Zone('America/New_York'), Date.UTC(2027, 2, 14, 2, 30), gap, fold))).toEqual(wanted);
});

test.each([
  ['first', ['2027-11-07T05:30:00.000Z']],
  ['second', ['2027-11-07T06:30:00.000Z']],
  ['both', ['2027-11-07T05:30:00.000Z', '2027-11-07T06:30:00.000Z']],
] as const)('01:30 in the fold of New York, %s', (fold, wanted) => {
  expect(iso(instantsOfWall(new Zone('America/New_York'), Date.UTC(2027, 10, 7, 1, 30), 'skip', fold))).toEqual(wanted);
});

test('a day that a zone left out does not exist', () => {
  expect(instantsOfWall(new Zone('Pacific/Apia'), Date.UTC(2011, 11, 30, 12), 'skip', 'first')).toEqual([]);
});
