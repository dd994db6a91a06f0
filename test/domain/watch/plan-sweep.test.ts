import { describe, expect, test } from 'vitest';
import type { CatchUpPolicy } from '../../../lib/domain/job.ts';
import type { RunRecord } from '../../../lib/domain/run/run-record.ts';
import { occurrenceId } from '../../../lib/domain/watch/occurrence-key.ts';
import { MAX_CATCH_UPS_PER_SWEEP, planSweep } from '../../../lib/domain/watch/plan-sweep.ts';
import type { OpenOccurrence } from '../../../lib/domain/watch/watch-state.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const occurrence: OpenOccurrence = { job: 'sync', scheduledTime: NOON, startBy: NOON + 2 * MINUTE, maxAttempts: 3 };
const key = { job: 'sync', scheduledTime: NOON };

function planFor(run: Partial<RunRecord> | undefined, now: number) {
  const record: RunRecord = { ...key, status: 'running', fencingToken: 1, attempts: 1, trigger: 'schedule', ...run };
  const runs = new Map(run === undefined ? [] : [[occurrenceId(key), record]]);
  return planSweep({ now, occurrences: [occurrence], runs, catchUpOf: () => undefined, laterDue: () => 0 });
}

describe('planSweep', () => {
  test('an occurrence without a run is missed once its time to start is over', () => {
    const plan = planFor(undefined, NOON + 2 * MINUTE);
    expect(plan.actions).toEqual([{ type: 'recordMissed', key, cause: 'unknown' }]);
    expect(plan.open).toEqual([]);
  });

  test('before that it is only late and stays open', () => {
    expect(planFor(undefined, NOON + 2 * MINUTE - 1)).toEqual({ actions: [], open: [occurrence] });
  });

  test.each(['succeeded', 'failed', 'timedOut', 'skipped', 'missed'] as const)('a run that %s is let go', (status) => {
    expect(planFor({ status }, NOON + 60 * MINUTE)).toEqual({ actions: [], open: [] });
  });

  test('a run under a live lease is left alone and looked at again', () => {
    const plan = planFor({ leaseExpiresAt: NOON + 5 * MINUTE }, NOON + 3 * MINUTE);
    expect(plan).toEqual({ actions: [], open: [occurrence] });
  });

  test('a run whose lease ran out is delivered again, with the trigger it had', () => {
    const plan = planFor({ leaseExpiresAt: NOON + MINUTE, trigger: 'backfill' }, NOON + 3 * MINUTE);
    expect(plan.actions).toEqual([{ type: 'redeliver', key, trigger: 'backfill', reason: 'dead' }]);
    expect(plan.open).toEqual([occurrence]);
  });

  test('a run whose next attempt is due is delivered again, not before', () => {
    const pending = { status: 'pending', nextAttemptAt: NOON + 3 * MINUTE } as const;
    expect(planFor(pending, NOON + 3 * MINUTE - 1).actions).toEqual([]);
    expect(planFor(pending, NOON + 3 * MINUTE).actions).toEqual([
      { type: 'redeliver', key, trigger: 'schedule', reason: 'retryDue' },
    ]);
  });

  test.each([
    { status: 'running', leaseExpiresAt: NOON },
    { status: 'pending', nextAttemptAt: NOON },
  ] as const)('a $status run that used all its attempts is closed and stays open until that is seen', (left) => {
    const plan = planFor({ ...left, attempts: 3 }, NOON + 3 * MINUTE);
    expect(plan.actions.map(({ type }) => type)).toEqual(['closeExhausted']);
    expect(plan.open).toEqual([occurrence]);
  });

  test('a misfire that its policy lets start late is delivered as catch-up until a run is seen', () => {
    const catchUp: CatchUpPolicy = { policy: 'latest', maxAgeMs: 60 * MINUTE, maxRuns: 1 };
    const input = { occurrences: [occurrence], runs: new Map(), catchUpOf: () => catchUp, laterDue: () => 0 };
    const soon = planSweep({ ...input, now: NOON + 2 * MINUTE });
    expect(soon).toEqual({ actions: [{ type: 'catchUp', key }], open: [occurrence] });
    const tooLate = planSweep({ ...input, now: NOON + 61 * MINUTE });
    expect(tooLate).toEqual({ actions: [{ type: 'recordMissed', key, cause: 'unknown' }], open: [] });
  });

  test('late starts are spread over sweeps, nothing is forgotten', () => {
    const catchUp: CatchUpPolicy = { policy: 'latest', maxAgeMs: 60 * MINUTE, maxRuns: 1 };
    const occurrences = Array.from({ length: 250 }, (_, index) => ({ ...occurrence, job: `job-${index}` }));
    const now = NOON + 2 * MINUTE;
    const plan = planSweep({ now, occurrences, runs: new Map(), catchUpOf: () => catchUp, laterDue: () => 0 });
    expect(plan.actions).toHaveLength(MAX_CATCH_UPS_PER_SWEEP);
    expect(plan.open).toHaveLength(250);
  });
});
