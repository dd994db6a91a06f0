import { expect, test } from 'vitest';
import { definitionHistory } from '../../../lib/domain/verify/definition-history.ts';
import type { RosterEntry } from '../../../lib/domain/watch/watch-state.ts';
import { jobDefinition } from '../../support/job-definition.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-04-25T06:00:00Z');
const at = (minutes: number) => START + minutes * MINUTE;

const first = jobDefinition({ name: 'first', schedule: '*/15 * * * *', revision: 'a' });
const second = { ...first, name: 'second', renamedFrom: 'first' };
const changed = { ...second, schedule: '*/5 * * * *', revision: 'b' };

/** Each roster with the minute of the sweep that first saw it; the sweep before was a minute earlier. */
function historyOf(job: string, rosters: readonly (readonly [number, readonly RosterEntry[]])[]) {
  const epochs = rosters.map(([minutes], index) => ({
    roster: String(index),
    from: at(minutes),
    before: at(minutes - 1),
  }));
  const found = definitionHistory(epochs, (digest) => rosters[Number(digest)]?.[1] ?? []);
  return found
    .find((history) => history.job === job)
    ?.spans.map(({ from, until, definitions }) => [
      (from - START) / MINUTE,
      (until - START) / MINUTE,
      definitions.map(({ revision }) => revision).join(),
    ]);
}

test('a job that is renamed goes on under its new name', () => {
  expect(
    historyOf('second', [
      [0, [first]],
      [10, [second]],
    ]),
  ).toEqual([
    [9, 10, 'a,a'],
    [10, Number.POSITIVE_INFINITY, 'a'],
  ]);
});

test('renamed, and its schedule changed within the hour: every instant is asked for once', () => {
  expect(
    historyOf('second', [
      [0, [first]],
      [10, [second]],
      [30, [changed]],
    ]),
  ).toEqual([
    [9, 10, 'a,a'],
    [10, 29, 'a'],
    [29, 30, 'a,b'],
    [30, Number.POSITIVE_INFINITY, 'b'],
  ]);
});

test('gone in one deployment and back under its new name in another: it goes on from where it ended', () => {
  expect(
    historyOf('second', [
      [0, [first]],
      [10, []],
      [30, [second]],
    ]),
  ).toEqual([
    [9, 30, 'a,a'],
    [30, Number.POSITIVE_INFINITY, 'a'],
  ]);
});
