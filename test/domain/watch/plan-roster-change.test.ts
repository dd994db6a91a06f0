import { describe, expect, test } from 'vitest';
import { watchedJob } from '../../../lib/domain/watch/due.ts';
import {
  adoptable,
  planEpochs,
  planRosterChange,
  type RosterChange,
} from '../../../lib/domain/watch/plan-roster-change.ts';
import type { RosterEntry } from '../../../lib/domain/watch/watch-state.ts';
import { intervalSchedule } from '../../support/interval-schedule.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');

function job(minutes: number, overrides: Partial<RosterEntry> = {}) {
  const entry: RosterEntry = {
    name: 'sync',
    schedule: `every ${minutes} minutes`,
    timeZone: 'UTC',
    dst: {},
    startGraceMs: MINUTE,
    retry: { maxAttempts: 3, backoff: 'fixed', initialDelayMs: 1_000, maxDelayMs: 1_000 },
    overlap: 'skip',
    revision: `every-${minutes}`,
    ...overrides,
  };
  return watchedJob(entry, intervalSchedule(minutes * MINUTE));
}

const at = (minutes: number) => NOON + minutes * MINUTE;

const owed = (change: RosterChange) => change.open.filter((one) => !one.adopted).map((one) => one.scheduledTime);

describe('planRosterChange', () => {
  test('an unchanged job is left alone', () => {
    expect(planRosterChange([job(1)], [job(1)], { sweptAt: at(0), now: at(1), effectiveFrom: {} })).toEqual({
      open: [],
      effectiveFrom: {},
      renamed: {},
      isNewEpoch: false,
    });
  });

  test('a new job counts from now on', () => {
    const change = planRosterChange([], [job(1)], { sweptAt: at(0), now: at(1), effectiveFrom: {} });
    expect(change).toMatchObject({ effectiveFrom: { sync: at(1) }, renamed: {}, isNewEpoch: true });
    expect(owed(change)).toEqual([]);
  });

  test('a removed job still owes what was scheduled up to the last sweep', () => {
    const change = planRosterChange([job(1)], [], { sweptAt: at(0), now: at(1), effectiveFrom: {} });
    expect(owed(change)).toEqual([at(-1), at(0)]);
    expect(change.effectiveFrom).toEqual({});
  });

  test('between the last sweep and now a changed job owes only what both definitions ask for', () => {
    const change = planRosterChange([job(5)], [job(10)], { sweptAt: at(1), now: at(11), effectiveFrom: {} });
    expect(owed(change)).toEqual([at(0), at(10)]);
    expect(change.effectiveFrom).toEqual({ sync: at(11) });
  });

  test('what may have been fired while nobody could tell is looked after, if it began', () => {
    const change = planRosterChange([job(5)], [job(10)], { sweptAt: at(1), now: at(11), effectiveFrom: {} });
    const adopted = change.open.filter((one) => one.adopted).map((one) => one.scheduledTime);
    expect(adopted).toEqual([5, -50, -40, -30, -20, -10].map(at));
  });

  test('less patience lets nothing fall between two windows', () => {
    const patient = job(1, { startGraceMs: 5 * MINUTE });
    const { open } = planRosterChange([patient], [job(1)], { sweptAt: at(0), now: at(1), effectiveFrom: {} });
    expect(open.map((one) => one.scheduledTime)).toEqual([-5, -4, -3, -2].map(at));
  });

  test('a definition that was young itself owes nothing from before its time', () => {
    const change = planRosterChange([job(1)], [], { sweptAt: at(0), now: at(1), effectiveFrom: { sync: at(-1) } });
    expect(owed(change)).toEqual([at(0)]);
  });
});

describe('a job and its new name in different stacks', () => {
  const former = job(1);
  const heir = job(1, { name: 'synchronise', renamedFrom: 'sync' });
  const under = (change: RosterChange) =>
    change.open
      .filter(({ adopted }) => !adopted)
      .map(({ job: name, formerName, scheduledTime }) => [name, formerName, scheduledTime]);

  test('when the new one was deployed first, what the former owes passes on when that is gone', () => {
    const both = planRosterChange([former], [former, heir], { sweptAt: at(0), now: at(1), effectiveFrom: {} });
    expect([both.renamed, under(both)]).toEqual([{}, []]);
    const alone = planRosterChange([former, heir], [heir], { sweptAt: at(1), now: at(2), effectiveFrom: {} });
    expect(alone.renamed).toEqual({ sync: 'synchronise' });
    expect(under(alone)).toEqual([0, 1, 2].map((minute) => ['synchronise', 'sync', at(minute)]));
    expect(alone.effectiveFrom).toEqual({});
  });

  test('when the former was gone first, what both ask for from then on is owed by the new one', () => {
    const last = { sweptAt: at(3), now: at(4), effectiveFrom: {} };
    const ended = [{ job: former, sweptAt: at(0) }];
    const change = planRosterChange([], [heir], { ...last, ended });
    expect(change.renamed).toEqual({ sync: 'synchronise' });
    expect(under(change)).toEqual([1, 2, 3, 4].map((minute) => ['synchronise', 'sync', at(minute)]));
    expect(under(planRosterChange([], [heir], last))).toEqual([]);
    // One that is declared again is nobody's former name.
    expect(planRosterChange([], [heir, former], { ...last, ended }).renamed).toEqual({});
  });
});

test('of many frequent jobs only the newest occurrences are adopted', () => {
  const jobs = Array.from({ length: 300 }, (_, index) => job(1, { name: `job-${index}` }));
  const adopted = adoptable(jobs, at(0), at(0));
  expect(adopted).toHaveLength(5_000);
  expect(Math.min(...adopted.map((one) => one.scheduledTime))).toBe(at(-16));
  expect(adoptable(jobs.slice(0, 1), at(0), at(0))).toHaveLength(60);
});

describe('planEpochs', () => {
  const first = planEpochs([], 'a', { sweptAt: at(0), now: at(0), isNewEpoch: true });

  test('begin with the first sweep', () => {
    expect(first).toEqual([{ roster: 'a', from: at(0), before: at(0) }]);
  });

  test('a deployment that changes no schedule goes on under its new digest', () => {
    expect(planEpochs(first, 'b', { sweptAt: at(1), now: at(2), isNewEpoch: false })).toEqual([
      { roster: 'b', from: at(0), before: at(0) },
    ]);
  });

  test('are kept as long as run records are', () => {
    const second = planEpochs(first, 'b', { sweptAt: at(1), now: at(2), isNewEpoch: true });
    expect(second).toEqual([...first, { roster: 'b', from: at(2), before: at(1) }]);
    const later = at(100 * 24 * 60);
    expect(planEpochs(second, 'c', { sweptAt: later, now: later, isNewEpoch: true })).toEqual([
      { roster: 'b', from: at(2), before: at(1) },
      { roster: 'c', from: later, before: later },
    ]);
  });
});
