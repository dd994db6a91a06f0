import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CatchUpPolicy } from '../../../lib/domain/job.ts';
import { type SimulatedJob, type SimulationOptions, simulateJob } from '../../../lib/domain/simulation/simulate-job.ts';
import type { SimulatedRun } from '../../../lib/domain/simulation/simulated-run.ts';
import { expectedInstants } from '../../../lib/domain/verify/expected-instants.ts';
import { jobDefinition } from '../../support/job-definition.ts';

const MINUTE = 60_000;
const at = (text: string) => Date.parse(`${text}Z`);
const JOB: SimulatedJob = jobDefinition({ name: 'a', schedule: '*/10 * * * *', timeZone: 'UTC', overlap: 'skip' });

/** `00:10 succeeded` with where it differs from a run at its time. */
function said({ scheduledTime, status, cause, startedAt, deliveredBy }: SimulatedRun): string {
  const time = (instant: number) => new Date(instant).toISOString().slice(11, 16);
  const start = startedAt === undefined || startedAt === scheduledTime ? '' : ` at ${time(startedAt)}`;
  return `${time(scheduledTime)} ${status}${cause === undefined ? '' : ` ${cause}`}${start}${deliveredBy === 'watchdog' ? ' by watchdog' : ''}`;
}

function timeline(job: SimulatedJob, options: SimulationOptions): readonly string[] {
  return [...simulateJob(job, options)].sort((one, other) => one.scheduledTime - other.scheduledTime).map(said);
}

const HOUR = { from: at('2026-06-01T00:00'), to: at('2026-06-01T00:50') };

describe('runs that take longer than the time between them', () => {
  const options = { ...HOUR, durationMs: 15 * MINUTE };
  const under = (overlap: SimulatedJob['overlap']) => timeline({ ...JOB, overlap }, options);

  test('skip: every other one is skipped', () => {
    expect(under('skip')).toEqual([
      '00:10 succeeded',
      '00:20 skipped overlap',
      '00:30 succeeded',
      '00:40 skipped overlap',
      '00:50 succeeded',
    ]);
  });

  test('bufferOne: one waits, and what comes while one waits is skipped', () => {
    expect(under('bufferOne')).toEqual([
      '00:10 succeeded',
      '00:20 succeeded at 00:25',
      '00:30 succeeded at 00:40',
      '00:40 succeeded at 00:55',
      '00:50 skipped overlap',
    ]);
  });

  test('cancelOther: each stops the one before', () => {
    expect(under('cancelOther')).toEqual([
      '00:10 failed cancelled',
      '00:20 failed cancelled',
      '00:30 failed cancelled',
      '00:40 failed cancelled',
      '00:50 succeeded',
    ]);
  });

  test('allow: all run', () => {
    expect(under('allow').every((one) => one.endsWith('succeeded'))).toBe(true);
  });

  test('what the job declares as its duration counts where none is given', () => {
    expect(timeline({ ...JOB, expectedDurationMs: 15 * MINUTE }, HOUR)).toEqual(under('skip'));
    expect(timeline(JOB, HOUR).every((one) => one.endsWith('succeeded'))).toBe(true);
  });
});

describe('an outage', () => {
  const options = {
    from: at('2026-06-01T00:00'),
    to: at('2026-06-01T01:20'),
    outages: [{ from: at('2026-06-01T00:15'), to: at('2026-06-01T01:01') }],
  };
  const under = (catchUp?: CatchUpPolicy) =>
    timeline({ ...JOB, ...(catchUp === undefined ? {} : { catchUp }) }, options).slice(1, 6);
  const DAY = { maxAgeMs: 24 * 60 * MINUTE, maxRuns: 3 };

  test('none: what was due is missed', () => {
    const missed = ['00:20', '00:30', '00:40', '00:50', '01:00'].map((time) => `${time} missed outage`);
    expect(under()).toEqual(missed);
    expect(under({ policy: 'all', ...DAY, harmfulWhenLate: true })).toEqual(missed);
  });

  test('latest: the newest starts late', () => {
    expect(under({ policy: 'latest', ...DAY })).toEqual([
      '00:20 missed outage',
      '00:30 missed outage',
      '00:40 missed outage',
      '00:50 missed outage',
      '01:00 succeeded at 01:01 by watchdog',
    ]);
  });

  test('all: the newest maxRuns start, one a sweep, the oldest first', () => {
    expect(under({ policy: 'all', ...DAY })).toEqual([
      '00:20 missed outage',
      '00:30 missed outage',
      '00:40 succeeded at 01:01 by watchdog',
      '00:50 succeeded at 01:02 by watchdog',
      '01:00 succeeded at 01:03 by watchdog',
    ]);
  });

  test('all: what grows too old while it waits is given up', () => {
    expect(under({ policy: 'all', maxAgeMs: 12 * MINUTE, maxRuns: 3 })).toEqual([
      '00:20 missed outage',
      '00:30 missed outage',
      '00:40 missed outage',
      '00:50 succeeded at 01:01 by watchdog',
      '01:00 succeeded at 01:02 by watchdog',
    ]);
  });
});

describe('changes of the clocks', () => {
  const newYork = { ...JOB, timeZone: 'America/New_York' };
  const fall = { from: at('2026-11-01T00:00'), to: at('2026-11-01T12:00') };
  const spring = { from: at('2026-03-08T00:00'), to: at('2026-03-08T12:00') };

  test('a time shown twice runs at the pass that is asked for, and EventBridge fires only the first', () => {
    const half = (fold: 'first' | 'second' | 'both') =>
      timeline({ ...newYork, schedule: '30 1 * * *', dst: { fold } }, fall);
    expect(half('first')).toEqual(['05:30 succeeded']);
    expect(half('second')).toEqual(['05:30 skipped excluded', '06:30 succeeded by watchdog']);
    expect(half('both')).toEqual(['05:30 succeeded', '06:30 succeeded by watchdog']);
  });

  test('a time that the clock jumps over is left out, or runs after', () => {
    const half = (gap: 'skip' | 'runAfter') => timeline({ ...newYork, schedule: '30 2 * * *', dst: { gap } }, spring);
    expect(half('skip')).toEqual(['07:00 skipped gap']);
    expect(half('runAfter')).toEqual(['07:00 succeeded by watchdog']);
  });
});

test('every occurrence has exactly one fate, whatever the schedule, the policies and the outages', () => {
  const schedules = ['*/7 * * * *', '0 * * * *', '30 2 * * *', '30 1 * * *', '0 8 * * 1-5', '*/90 * * * *'];
  const zones = ['UTC', 'America/New_York', 'Europe/London', 'Australia/Lord_Howe'];
  const hours = (least: number, most: number) =>
    fc.integer({ min: least, max: most }).map((hour) => hour * 60 * MINUTE);
  fc.assert(
    fc.property(
      fc.constantFrom(...schedules),
      fc.constantFrom(...zones),
      fc.constantFrom('skip' as const, 'bufferOne' as const, 'cancelOther' as const, 'allow' as const),
      fc.constantFrom('none' as const, 'latest' as const, 'all' as const),
      fc.record({ gap: fc.constantFrom('skip' as const, 'runAfter' as const) }),
      fc.constantFrom(at('2026-03-06T00:00'), at('2026-04-03T13:00'), at('2026-10-30T00:00')),
      fc.tuple(hours(0, 60), hours(1, 30)),
      fc.integer({ min: 0, max: 200 }),
      (schedule, timeZone, overlap, policy, dst, from, [outageAfter, outageFor], minutes) => {
        const catchUp = { policy, maxAgeMs: 6 * 60 * MINUTE, maxRuns: 5 };
        const job = jobDefinition({ name: 'a', schedule, timeZone, overlap, dst, catchUp });
        const to = from + 4 * 24 * 60 * MINUTE;
        const outage = { from: from + outageAfter, to: from + outageAfter + outageFor };
        const runs = [...simulateJob(job, { from, to, outages: [outage], durationMs: minutes * MINUTE })];
        const told = runs.filter(({ cause }) => cause !== 'excluded').map(({ scheduledTime }) => scheduledTime);
        const span = { from, until: to, definitions: [job] };
        expect(told.sort((one, other) => one - other)).toEqual([...expectedInstants([span], from, to)]);
        for (const { startedAt = outage.to } of runs)
          expect(startedAt < outage.from || startedAt >= outage.to).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});
