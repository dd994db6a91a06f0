import { expect, test } from 'vitest';
import { compareOccurrences, type Move, type OccurrenceChanges } from '../../../lib/domain/plan/compare-occurrences.ts';
import { parseSchedule } from '../../../lib/domain/schedule/parse-schedule.ts';

const at = (text: string) => Date.parse(text);
const text = (instant: number) => new Date(instant).toISOString().slice(0, 16);
const told = ({ kept, appear, vanish, moved, lapsed, repeated }: OccurrenceChanges) => {
  const moves = (all: readonly Move[]) => all.map(({ from, to }) => `${text(from)} > ${text(to)}`);
  return {
    kept,
    appear: appear.map(text),
    vanish: vanish.map(text),
    moved: moves(moved),
    ...(lapsed.length === 0 ? {} : { lapsed: moves(lapsed) }),
    ...(repeated.length === 0 ? {} : { repeated: moves(repeated) }),
  };
};
const cron = (expression: string, timeZone = 'UTC') => parseSchedule(expression, { timeZone });

test('another zone moves each occurrence to the same hour there, over the week in which only one clock changes', () => {
  const span = { from: at('2026-10-23T16:00Z'), to: at('2026-10-27T16:00Z') };
  const changes = compareOccurrences(cron('0 8 * * *', 'America/New_York'), cron('0 8 * * *', 'Europe/London'), span);
  expect(told(changes)).toEqual({
    kept: 0,
    appear: [],
    vanish: [],
    moved: [
      '2026-10-24T12:00 > 2026-10-24T07:00',
      '2026-10-25T12:00 > 2026-10-25T08:00',
      '2026-10-26T12:00 > 2026-10-26T08:00',
      '2026-10-27T12:00 > 2026-10-27T08:00',
    ],
  });
});

test('where the new time of today is over, the occurrence of today vanishes', () => {
  const span = { from: at('2026-12-01T10:00Z'), to: at('2026-12-02T10:00Z') };
  const changes = compareOccurrences(cron('0 20 * * *'), cron('0 9 * * *'), span);
  expect(told(changes)).toEqual({
    kept: 0,
    appear: [],
    vanish: ['2026-12-01T20:00'],
    moved: ['2026-12-02T20:00 > 2026-12-02T09:00'],
    lapsed: ['2026-12-01T20:00 > 2026-12-01T09:00'],
  });
});

test('where the old time of today is over, the job is due once more today', () => {
  const span = { from: at('2026-12-01T10:00Z'), to: at('2026-12-02T10:00Z') };
  expect(told(compareOccurrences(cron('0 9 * * *'), cron('0 20 * * *'), span))).toMatchObject({
    appear: ['2026-12-01T20:00'],
    moved: ['2026-12-02T09:00 > 2026-12-02T20:00'],
    repeated: ['2026-12-01T09:00 > 2026-12-01T20:00'],
  });
});

test('another weekday moves an occurrence within its week', () => {
  const span = { from: at('2026-12-01T00:00Z'), to: at('2026-12-15T00:00Z') };
  expect(told(compareOccurrences(cron('0 6 * * 1'), cron('0 6 * * 2'), span))).toEqual({
    kept: 0,
    appear: ['2026-12-01T06:00'],
    vanish: [],
    moved: ['2026-12-07T06:00 > 2026-12-08T06:00', '2026-12-14T06:00 > 2026-12-15T06:00'],
    repeated: ['2026-11-30T06:00 > 2026-12-01T06:00'],
  });
});

test('what is due every hour moves to the nearest time, whatever the clock shows there', () => {
  const span = { from: at('2026-12-01T00:10Z'), to: at('2026-12-01T03:10Z') };
  const changes = compareOccurrences(cron('20 * * * *', 'America/New_York'), cron('20 * * * *', 'Asia/Kolkata'), span);
  expect(told(changes)).toEqual({
    kept: 0,
    appear: [],
    vanish: [],
    moved: [
      '2026-12-01T00:20 > 2026-12-01T00:50',
      '2026-12-01T01:20 > 2026-12-01T01:50',
      '2026-12-01T02:20 > 2026-12-01T02:50',
    ],
  });
});

test('fewer vanish, more appear, and what both have is kept', () => {
  const span = { from: at('2026-12-01T00:00Z'), to: at('2026-12-01T04:00Z') };
  expect(told(compareOccurrences(cron('0 * * * *'), cron('0 */2 * * *'), span))).toEqual({
    kept: 2,
    appear: [],
    vanish: ['2026-12-01T01:00', '2026-12-01T03:00'],
    moved: [],
  });
  expect(compareOccurrences(undefined, cron('0 * * * *'), span)).toMatchObject({ kept: 0, moved: [], vanish: [] });
  expect(compareOccurrences(undefined, cron('0 * * * *'), span).appear).toHaveLength(4);
  expect(compareOccurrences(cron('0 * * * *'), undefined, span).vanish).toHaveLength(4);
});
