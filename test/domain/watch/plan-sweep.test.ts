import { describe, expect, test } from 'vitest';
import { occurrenceId } from '../../../lib/domain/contract/occurrence-key.ts';
import type { JobDefinition } from '../../../lib/domain/job.ts';
import type { RunRecord } from '../../../lib/domain/run/run-record.ts';
import { watchedJob } from '../../../lib/domain/watch/due.ts';
import type { JobState } from '../../../lib/domain/watch/job-state.ts';
import { MOST_DELIVERIES } from '../../../lib/domain/watch/plan-delivery.ts';
import { MAX_CATCH_UPS_PER_SWEEP, planSweep, type SweepInput } from '../../../lib/domain/watch/plan-sweep.ts';
import type { OpenOccurrence } from '../../../lib/domain/watch/watch-state.ts';
import { intervalSchedule } from '../../support/interval-schedule.ts';
import { jobDefinition } from '../../support/job-definition.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const occurrence: OpenOccurrence = { job: 'sync', scheduledTime: NOON, startBy: NOON + 2 * MINUTE, maxAttempts: 3 };
const key = { job: 'sync', scheduledTime: NOON };
const LATEST = { policy: 'latest', maxAgeMs: 60 * MINUTE, maxRuns: 1 } as const;

interface Situation {
  readonly run?: Partial<RunRecord>;
  readonly occurrence?: OpenOccurrence;
  readonly job?: Partial<JobDefinition>;
  readonly state?: JobState;
}

/** A job that is due once a day; today's occurrence is at noon. */
function inputFor(situation: Situation, now: number): SweepInput {
  const looked = situation.occurrence ?? occurrence;
  const record: RunRecord = {
    ...key,
    status: 'running',
    fencingToken: 1,
    attempts: 1,
    trigger: 'schedule',
    ...situation.run,
  };
  const runs = new Map(situation.run === undefined ? [] : [[occurrenceId(record), record]]);
  const job = watchedJob(jobDefinition(situation.job), intervalSchedule(24 * 60 * MINUTE));
  const states = new Map(situation.state === undefined ? [] : [['sync', situation.state]]);
  return { now, occurrences: [looked], runs, jobs: new Map([['sync', job]]), states };
}

const planFor = (situation: Situation, now: number) => planSweep(inputFor(situation, now));

describe('an occurrence without a run', () => {
  test('is missed once its time to start is over', () => {
    const plan = planFor({}, NOON + 2 * MINUTE);
    expect(plan.actions).toEqual([{ type: 'recordMissed', key, cause: 'unknown' }]);
    expect(plan.open).toEqual([]);
  });

  test('is only late before that and stays open', () => {
    expect(planFor({}, NOON + 2 * MINUTE - 1)).toMatchObject({ actions: [], open: [occurrence] });
  });

  test('of a job that is paused is skipped', () => {
    const action = { type: 'recordSkipped', key, cause: 'paused', trigger: 'schedule' };
    expect(planFor({ state: { pause: {} }, job: { catchUp: LATEST } }, NOON + 2 * MINUTE).actions).toEqual([action]);
    const over = planFor({ state: { pause: { until: NOON + MINUTE } } }, NOON + 2 * MINUTE);
    expect(over.actions.map(({ type }) => type)).toEqual(['recordMissed']);
  });

  test('at a wall time that did not exist is skipped, paused or not', () => {
    const plan = planFor({ occurrence: { ...occurrence, gap: true }, state: { pause: {} } }, NOON + 2 * MINUTE);
    expect(plan.actions).toEqual([{ type: 'recordSkipped', key, cause: 'gap', trigger: 'schedule' }]);
  });

  test('starts late if its policy says so, and is given up when it is too old', () => {
    const soon = planFor({ job: { catchUp: LATEST } }, NOON + 2 * MINUTE);
    expect(soon.actions).toEqual([{ type: 'catchUp', key }]);
    expect(soon.open).toMatchObject([occurrence]);
    const tooLate = planFor({ job: { catchUp: LATEST } }, NOON + 61 * MINUTE);
    expect(tooLate.actions).toEqual([{ type: 'recordMissed', key, cause: 'unknown' }]);
  });

  test('never starts late where that does harm', () => {
    const plan = planFor({ job: { catchUp: { ...LATEST, harmfulWhenLate: true } } }, NOON + 2 * MINUTE);
    expect(plan.actions.map(({ type }) => type)).toEqual(['recordMissed']);
  });

  test('of a job that is gone is missed', () => {
    const plan = planSweep({ ...inputFor({ job: { catchUp: LATEST } }, NOON + 2 * MINUTE), jobs: new Map() });
    expect(plan.actions.map(({ type }) => type)).toEqual(['recordMissed']);
  });
});

describe('an occurrence with a run', () => {
  test.each(['succeeded', 'failed', 'timedOut', 'skipped', 'missed'] as const)('that %s is let go', (status) => {
    expect(planFor({ run: { status } }, NOON + 60 * MINUTE)).toMatchObject({ actions: [], open: [] });
  });

  test('under a live lease is left alone and looked at again', () => {
    const plan = planFor({ run: { leaseExpiresAt: NOON + 5 * MINUTE } }, NOON + 3 * MINUTE);
    expect(plan).toMatchObject({ actions: [], open: [occurrence] });
  });

  test('whose lease ran out is delivered again, with the trigger it had', () => {
    const plan = planFor({ run: { leaseExpiresAt: NOON + MINUTE, trigger: 'backfill' } }, NOON + 3 * MINUTE);
    expect(plan.actions).toEqual([{ type: 'redeliver', key, trigger: 'backfill', reason: 'dead' }]);
    expect(plan.open).toMatchObject([occurrence]);
  });

  test('whose next attempt is due is delivered again, not before', () => {
    const run = { status: 'pending', nextAttemptAt: NOON + 3 * MINUTE } as const;
    expect(planFor({ run }, NOON + 3 * MINUTE - 1).actions).toEqual([]);
    expect(planFor({ run }, NOON + 3 * MINUTE).actions).toEqual([
      { type: 'redeliver', key, trigger: 'schedule', reason: 'retryDue' },
    ]);
  });

  test('waits while its job is paused, and is not given up for it', () => {
    const run = { status: 'pending', nextAttemptAt: NOON } as const;
    const deliveries = { count: MOST_DELIVERIES, nextAt: NOON, fencingToken: 1 };
    const paused = { run, state: { pause: {} }, occurrence: { ...occurrence, deliveries } };
    expect(planFor(paused, NOON + 300 * MINUTE)).toMatchObject({ actions: [], open: [{ deliveries }] });
  });

  test.each([
    { status: 'running', leaseExpiresAt: NOON },
    { status: 'pending', nextAttemptAt: NOON },
  ] as const)('that is $status and used all its attempts is closed, and stays open until that is seen', (left) => {
    const plan = planFor({ run: { ...left, attempts: 3 } }, NOON + 3 * MINUTE);
    expect(plan.actions.map(({ type }) => type)).toEqual(['closeExhausted']);
    expect(plan.open).toEqual([occurrence]);
  });

  test('that still waits for its turn where a late start does harm is skipped as stale', () => {
    const run = { status: 'pending', attempts: 0, fencingToken: 0, nextAttemptAt: NOON } as const;
    const job = { catchUp: { ...LATEST, harmfulWhenLate: true } };
    expect(planFor({ run, job }, NOON + 2 * MINUTE).actions).toEqual([
      { type: 'recordSkipped', key, cause: 'stale', trigger: 'schedule' },
    ]);
  });
});

describe('a delivery that nobody takes up', () => {
  /** Sweeps once a minute; returns the minutes at which something was done. */
  function follow(situation: Situation, minutes: number): string[] {
    const told: string[] = [];
    let open: readonly OpenOccurrence[] = [occurrence];
    for (let minute = 2; minute < minutes && open.length > 0; minute++) {
      const input = { ...inputFor(situation, NOON + minute * MINUTE), occurrences: open };
      const plan = planSweep(input);
      told.push(...plan.actions.map(({ type }) => `${minute} ${type}`));
      if (plan.actions.some(({ type }) => type.startsWith('close'))) break;
      open = plan.open;
    }
    return told;
  }

  test('is repeated less and less often, then the run is closed', () => {
    expect(follow({ run: { leaseExpiresAt: NOON } }, 300)).toEqual([
      ...[2, 3, 5, 9, 17, 33, 65, 125].map((minute) => `${minute} redeliver`),
      '185 closeUndeliverable',
    ]);
  });

  test('and the occurrence of a catch-up is missed', () => {
    const job = { catchUp: { ...LATEST, maxAgeMs: 24 * 60 * MINUTE } };
    expect(follow({ job }, 300).at(-1)).toBe('185 recordMissed');
  });

  test('counts anew once somebody claimed it', () => {
    const deliveries = { count: MOST_DELIVERIES, nextAt: NOON, fencingToken: 1 };
    const run = { fencingToken: 2, attempts: 2, leaseExpiresAt: NOON };
    const plan = planFor({ run, occurrence: { ...occurrence, deliveries } }, NOON + 200 * MINUTE);
    expect(plan.actions.map(({ type }) => type)).toEqual(['redeliver']);
    expect(plan.open).toMatchObject([{ deliveries: { count: 1, fencingToken: 2 } }]);
  });
});

describe('late starts', () => {
  const ALL = { policy: 'all', maxAgeMs: 60 * 60 * MINUTE, maxRuns: 10 } as const;
  const days = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      ...occurrence,
      scheduledTime: NOON + n * 24 * 60 * MINUTE,
      startBy: NOON + n * 24 * 60 * MINUTE + 2 * MINUTE,
    }));

  function planOf(
    occurrences: readonly OpenOccurrence[],
    job: Partial<JobDefinition>,
    runs = new Map<string, RunRecord>(),
  ) {
    const now = (occurrences.at(-1)?.startBy ?? NOON) + MINUTE;
    const aged = { ...ALL, maxAgeMs: 1_000 * 60 * 60 * MINUTE };
    return planSweep({ ...inputFor({ job: { catchUp: aged, ...job } }, now), occurrences, runs });
  }

  test('of runs that exclude each other begin one at a time, the oldest first', () => {
    const plan = planOf(days(3), { overlap: 'skip' });
    expect(plan.actions).toEqual([{ type: 'catchUp', key }]);
    expect(plan.open).toHaveLength(3);
  });

  test('wait while a run of the job is going on', () => {
    const running: RunRecord = {
      ...key,
      status: 'running',
      fencingToken: 1,
      attempts: 1,
      trigger: 'schedule',
      leaseExpiresAt: NOON + 10_000 * MINUTE,
    };
    const plan = planOf(days(3), { overlap: 'skip' }, new Map([[occurrenceId(key), running]]));
    expect(plan.actions).toEqual([]);
  });

  test('begin together where runs may overlap', () => {
    expect(planOf(days(3), { overlap: 'allow' }).actions).toHaveLength(3);
  });

  test('are spread over sweeps, and nothing is forgotten', () => {
    const names = Array.from({ length: 250 }, (_, index) => `job-${index}`);
    const occurrences = names.map((job) => ({ ...occurrence, job }));
    const jobs = new Map(
      names.map((name) => [
        name,
        watchedJob(jobDefinition({ name, catchUp: LATEST }), intervalSchedule(24 * 60 * MINUTE)),
      ]),
    );
    const plan = planSweep({ now: NOON + 2 * MINUTE, occurrences, runs: new Map(), jobs, states: new Map() });
    expect(plan.actions).toHaveLength(MAX_CATCH_UPS_PER_SWEEP);
    expect(plan.open).toHaveLength(250);
  });
});

test('a missed occurrence of a job with expectedDuration is overdue later on, once', () => {
  const job = { expectedDurationMs: 10 * MINUTE };
  const missed = planFor({ job }, NOON + 2 * MINUTE);
  expect(missed).toMatchObject({ findings: [], open: [occurrence] });
  const run = { status: 'missed', attempts: 0, fencingToken: 0 } as const;
  expect(planFor({ job, run }, NOON + 15 * MINUTE - 1)).toMatchObject({ findings: [], open: [occurrence] });
  expect(planFor({ job, run }, NOON + 15 * MINUTE)).toMatchObject({ findings: [{ kind: 'overdue', key }], open: [] });
});
