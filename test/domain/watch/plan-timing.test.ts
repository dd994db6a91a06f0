import { describe, expect, test } from 'vitest';
import type { JobDefinition } from '../../../lib/domain/job.ts';
import type { RunRecord } from '../../../lib/domain/run/run-record.ts';
import { isWorthSaving, type JobTiming, learnTiming } from '../../../lib/domain/watch/job-state.ts';
import { planTiming } from '../../../lib/domain/watch/plan-timing.ts';
import type { OpenOccurrence } from '../../../lib/domain/watch/watch-state.ts';
import { jobDefinition } from '../../support/job-definition.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const occurrence: OpenOccurrence = { job: 'sync', scheduledTime: NOON, startBy: NOON + 2 * MINUTE, maxAttempts: 3 };
const USUAL: JobTiming = { averageMs: 10 * SECOND, samples: 20 };

interface Situation {
  readonly run?: Partial<RunRecord>;
  readonly job?: Partial<JobDefinition>;
  readonly timing?: JobTiming;
  readonly occurrence?: Partial<OpenOccurrence>;
}

function planFor(situation: Situation, now: number) {
  const run: RunRecord | undefined = situation.run && {
    job: 'sync',
    scheduledTime: NOON,
    status: 'running',
    fencingToken: 1,
    attempts: 1,
    trigger: 'schedule',
    claimedAt: NOON,
    ...situation.run,
  };
  const looked = { ...occurrence, ...situation.occurrence };
  return planTiming(looked, run, jobDefinition(situation.job), situation.timing, { now });
}

const kinds = (plan: ReturnType<typeof planTiming>) => plan.findings.map(({ kind }) => kind);

describe('late start', () => {
  test('is a first attempt that began after startGrace and the minute of EventBridge', () => {
    const at = (claimedAt: number) =>
      kinds(planFor({ run: { status: 'succeeded', claimedAt, updatedAt: claimedAt } }, NOON + 9 * MINUTE));
    expect(at(NOON + 2 * MINUTE - 1)).toEqual([]);
    expect(at(NOON + 2 * MINUTE)).toEqual(['late']);
  });

  test('is not said of a run that the watchdog itself started late', () => {
    const run = { trigger: 'catchUp', claimedAt: NOON + 9 * MINUTE } as const;
    expect(kinds(planFor({ run }, NOON + 10 * MINUTE))).toEqual([]);
  });

  test('is said once', () => {
    const run = { claimedAt: NOON + 3 * MINUTE };
    const first = planFor({ run }, NOON + 4 * MINUTE);
    expect(kinds(first)).toEqual(['late']);
    expect(kinds(planFor({ run, occurrence: first.occurrence }, NOON + 5 * MINUTE))).toEqual([]);
  });
});

describe('a run that waits for its turn', () => {
  const waiting = { status: 'pending', fencingToken: 0, attempts: 0 } as const;
  const outlooks = (job: Situation['job'], now: number, isPaused = false) => {
    const run: RunRecord = { job: 'sync', scheduledTime: NOON, trigger: 'schedule', ...waiting };
    return planTiming(occurrence, run, jobDefinition(job), undefined, { now, isPaused }).findings.map(
      ({ kind, outlook }) => `${kind} ${outlook}`,
    );
  };

  test('is late when it has not begun by then, and skipped where late does harm', () => {
    expect(outlooks({}, occurrence.startBy - 1)).toEqual([]);
    expect(outlooks({}, occurrence.startBy)).toEqual(['late waits']);
    const catchUp = { policy: 'latest', maxAgeMs: MINUTE, maxRuns: 1, harmfulWhenLate: true } as const;
    expect(outlooks({ catchUp }, occurrence.startBy)).toEqual(['late stale']);
  });

  test('is not late while its job is paused', () => {
    expect(outlooks({}, occurrence.startBy, true)).toEqual([]);
  });
});

describe('overdue', () => {
  const job = { expectedDurationMs: 2 * MINUTE };
  const due = NOON + 7 * MINUTE;

  test.each<[string, Partial<RunRecord> | undefined]>([
    ['no run', undefined],
    ['a run that goes on', {}],
    ['a run that waits for its next attempt', { status: 'pending' }],
    ['a run that failed', { status: 'failed' }],
    ['a run that was missed', { status: 'missed' }],
  ])('by scheduledTime, expectedDuration and five minutes: %s', (_, run) => {
    const situation = run === undefined ? { job } : { job, run };
    const before = planFor(situation, due - 1);
    expect([kinds(before), before.isPending]).toEqual([[], true]);
    const after = planFor(situation, due);
    expect([kinds(after), after.isPending]).toEqual([['overdue'], false]);
  });

  test.each(['succeeded', 'skipped'] as const)('nothing is overdue that %s', (status) => {
    const plan = planFor({ job, run: { status } }, due);
    expect([kinds(plan), plan.isPending]).toEqual([[], false]);
  });

  test('without expectedDuration nothing is', () => {
    expect(planFor({}, NOON + 600 * MINUTE)).toMatchObject({ findings: [], isPending: false });
  });
});

describe('too fast', () => {
  const job = { minimumDurationMs: 5 * SECOND };
  const saidOf = (ms: number, run: Partial<RunRecord> = {}) =>
    kinds(planFor({ job, run: { status: 'succeeded', updatedAt: NOON + ms, ...run } }, NOON + MINUTE));

  test('is a success in less than minimumDuration', () => {
    expect(saidOf(5 * SECOND - 1)).toEqual(['tooFast']);
    expect(saidOf(5 * SECOND)).toEqual([]);
  });

  test('is not said of a failure', () => {
    expect(saidOf(SECOND, { status: 'failed' })).toEqual([]);
  });
});

describe('slow', () => {
  const saidOf = (run: Partial<RunRecord>) => kinds(planFor({ timing: USUAL, run }, NOON + 10 * MINUTE));

  test.each<[string, Partial<RunRecord>]>([
    ['a success', { status: 'succeeded' }],
    ['a run that goes on, at its last sign of life', { status: 'running' }],
    ['an attempt that failed, with another to follow', { status: 'pending', error: 'no' }],
    ['an attempt that was stopped at its deadline', { status: 'timedOut', error: 'no' }],
    ['a failure', { status: 'failed', error: 'no' }],
  ])('is more than twice the usual: %s', (_, run) => {
    expect(saidOf({ ...run, updatedAt: NOON + 20 * SECOND })).toEqual([]);
    expect(saidOf({ ...run, updatedAt: NOON + 20 * SECOND + 1 })).toEqual(['slow']);
  });

  test.each<[string, Partial<RunRecord>]>([
    ['its process was killed right after the claim', { status: 'running', updatedAt: NOON }],
    ['its process was killed a while after its last step', { status: 'running', updatedAt: NOON + 12 * SECOND }],
    ['it was closed for it, long after', { status: 'failed', cause: 'exhausted', updatedAt: NOON + 9 * MINUTE }],
    ['it never began', { status: 'missed', cause: 'unknown', updatedAt: NOON + 9 * MINUTE }],
  ])('is nobody whose time just passed: %s', (_, run) => {
    expect(saidOf(run)).toEqual([]);
  });

  test('is not said before five runs are known, nor of less than five seconds', () => {
    const run = { status: 'succeeded', updatedAt: NOON + 50 * SECOND } as const;
    expect(kinds(planFor({ timing: { ...USUAL, samples: 4 }, run }, NOON + MINUTE))).toEqual([]);
    const took = (ms: number) => ({ status: 'succeeded', updatedAt: NOON + ms }) as const;
    const quick = { averageMs: 20, samples: 50 };
    expect(kinds(planFor({ timing: quick, run: took(5_020) }, NOON + MINUTE))).toEqual([]);
    expect(kinds(planFor({ timing: quick, run: took(5_021) }, NOON + MINUTE))).toEqual(['slow']);
  });

  test('is not said of a run that needed several attempts, and those teach nothing', () => {
    const run = { status: 'succeeded', attempts: 2, updatedAt: NOON + 500 * SECOND } as const;
    expect(planFor({ timing: USUAL, run }, NOON + 10 * MINUTE)).toMatchObject({ findings: [] });
    expect(planFor({ timing: USUAL, run }, NOON + 10 * MINUTE)).not.toHaveProperty('timing');
  });
});

describe('stuck', () => {
  const at = (progress: string, updatedAt: number) => ({ progress, updatedAt });

  test('is the same word of progress, said again five minutes later', () => {
    const first = planFor({ run: at('40/100', NOON + MINUTE) }, NOON + 2 * MINUTE);
    expect(first.occurrence.progress).toEqual({ said: '40/100', since: NOON + MINUTE });
    const next = (updatedAt: number, before = first) =>
      planFor({ run: at('40/100', updatedAt), occurrence: before.occurrence }, NOON + 9 * MINUTE);
    expect(kinds(next(NOON + 6 * MINUTE - 1))).toEqual([]);
    const stuck = next(NOON + 6 * MINUTE);
    expect(kinds(stuck)).toEqual(['stuck']);
    expect(kinds(next(NOON + 7 * MINUTE, stuck))).toEqual([]);
  });

  test('is not a process that says nothing any more', () => {
    const run = at('40/100', NOON + MINUTE);
    const first = planFor({ run }, NOON + 2 * MINUTE);
    expect(kinds(planFor({ run, occurrence: first.occurrence }, NOON + 15 * MINUTE))).toEqual([]);
  });

  test('progress begins anew with every word', () => {
    const first = planFor({ run: at('40/100', NOON + MINUTE) }, NOON + 2 * MINUTE);
    const moved = planFor({ run: at('41/100', NOON + 6 * MINUTE), occurrence: first.occurrence }, NOON + 6 * MINUTE);
    expect(kinds(moved)).toEqual([]);
    expect(moved.occurrence.progress).toEqual({ said: '41/100', since: NOON + 6 * MINUTE });
  });
});

describe('the usual duration', () => {
  test('follows the runs, and one outlier does not take it along', () => {
    let timing: JobTiming | undefined;
    for (let n = 0; n < 30; n++) timing = learnTiming(timing, n === 20 ? 100_000 : 10_000);
    expect(timing?.averageMs).toBeGreaterThan(9_000);
    expect(timing?.averageMs).toBeLessThan(14_000);
  });

  test('is learned from every success, however little it differs', () => {
    const run = { status: 'succeeded', updatedAt: NOON + 10_100 } as const;
    expect(planFor({ timing: USUAL, run }, NOON + MINUTE).timing).toEqual({ averageMs: 10_020, samples: 21 });
  });
});

describe('an average is saved', () => {
  const HOUR = 60 * MINUTE;
  const isSaved = (stored: JobTiming | undefined, averageMs: number, sinceMs?: number) =>
    isWorthSaving(
      { timing: stored, ...(sinceMs === undefined ? {} : { savedAt: NOON - sinceMs }) },
      { averageMs, samples: 1 + (stored?.samples ?? 0) },
      NOON,
    );
  const QUICK = { averageMs: 100, samples: 20 };

  test('after each run while it is young', () => {
    expect(isSaved(undefined, 10_000)).toBe(true);
    expect(isSaved({ ...USUAL, samples: 9 }, 10_000, 0)).toBe(true);
    expect(isSaved({ ...USUAL, samples: 10 }, 10_000, 0)).toBe(false);
  });

  test.each([
    [10_000, 10_999, false],
    [10_000, 11_000, true],
    [10_000, 9_001, false],
    [10_000, 9_000, true],
    // What counts as slow is five seconds more: it hardly moves.
    [100, 200, false],
    [100, 609, false],
    [100, 610, true],
  ])('at once when what counts as slow moved by a tenth: from %d to %d', (from, to, expected) => {
    expect(isSaved({ averageMs: from, samples: 20 }, to, 0)).toBe(expected);
  });

  test('once an hour when it moved by a fiftieth, and not when it did not', () => {
    expect(isSaved(USUAL, 10_201, HOUR - 1)).toBe(false);
    expect(isSaved(USUAL, 10_201, HOUR)).toBe(true);
    expect(isSaved(USUAL, 9_799, HOUR)).toBe(true);
    expect(isSaved(USUAL, 10_200, 24 * HOUR)).toBe(false);
    expect(isSaved(QUICK, 103, HOUR)).toBe(true);
  });

  test('when it moved by a fiftieth, by a process that has only read it', () => {
    expect(isSaved(USUAL, 10_201)).toBe(true);
    expect(isSaved(USUAL, 10_200)).toBe(false);
  });
});
