import { describe, expect, test } from 'vitest';
import {
  type DeadLetter,
  groupDeadLetters,
  isChosen,
  planRedelivery,
  whyGivenUp,
} from '../../../lib/domain/operate/plan-dead-letters.ts';
import type { RunRecord } from '../../../lib/domain/run/run-record.ts';
import { jobDefinition } from '../../support/job-definition.ts';

const HOUR = 3_600_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const job = jobDefinition({ schedule: '0 * * * *' });
const event = { job: 'sync', scheduledTime: NOON, trigger: 'schedule', revision: 'r1' } as const;
const letter = (change: Partial<DeadLetter> = {}): DeadLetter => ({
  id: 'm1',
  givenUpAt: NOON + HOUR,
  from: 'function',
  event,
  code: '200',
  message: 'boom',
  ...change,
});
const plan = (
  change: Partial<DeadLetter>,
  { run, now = NOON + HOUR, known = true }: { run?: Partial<RunRecord>; now?: number; known?: boolean } = {},
) => planRedelivery(letter(change), { job: known ? job : undefined, run: run as RunRecord | undefined, now });

describe('a dead letter that is to be delivered again', () => {
  test('is delivered with the same event while its occurrence has no outcome', () => {
    expect(plan({})).toEqual({ next: 'deliver', event });
    expect(plan({}, { run: { status: 'pending' } })).toEqual({ next: 'deliver', event });
    expect(plan({}, { run: { status: 'running' } })).toEqual({ next: 'deliver', event });
  });

  test.each(['succeeded', 'failed', 'timedOut'] as const)('is discarded when its occurrence has %s', (status) => {
    expect(plan({}, { run: { status } })).toEqual({ next: 'discard', why: `it is ${status} already` });
  });

  test('of a missed occurrence is discarded, with what starts a run in its stead', () => {
    expect(plan({}, { run: { status: 'missed' } })).toEqual({
      next: 'discard',
      why: "it is missed already; 'belfry trigger sync' starts a run in its stead",
    });
  });

  test('that its function would refuse stays, with the way out', () => {
    expect(plan({}, { now: NOON + 32 * 24 * HOUR })).toMatchObject({
      next: 'keep',
      why: expect.stringMatching(
        /older than 31 days.*'belfry trigger sync' starts a run in its stead, then discard it/,
      ),
    });
    // What a person asked for is never too old.
    const backfill = { ...event, trigger: 'backfill' } as const;
    expect(plan({ event: backfill }, { now: NOON + 32 * 24 * HOUR }).next).toBe('deliver');
  });

  test('of another declaration of the job counts if the job is still due then', () => {
    expect(plan({ event: { ...event, revision: 'r0' } }, { now: NOON + 5 * HOUR }).next).toBe('deliver');
    const odd = { ...event, revision: 'r0', scheduledTime: NOON + 60_000 };
    expect(plan({ event: odd }, { now: NOON + 5 * HOUR })).toMatchObject({
      next: 'keep',
      why: expect.stringContaining("the job's schedule has changed"),
    });
  });

  test('of a firing at which the job was not due lost nothing', () => {
    expect(plan({ event: { ...event, everyMs: 7 * 60_000 } })).toMatchObject({ next: 'discard' });
  });

  test('of a job that is gone, of lifecycle events, and of nobody stays', () => {
    expect(plan({}, { known: false })).toEqual({
      next: 'keep',
      why: 'no job of that name is known: it was removed, or the watchdog has not looked since it was deployed',
    });
    const { event: _, ...none } = letter({ from: 'stream', code: 'RetryAttemptsExhausted', message: '', changes: 3 });
    expect(planRedelivery(none, { job: undefined, run: undefined, now: NOON }).next).toBe('keep');
  });
});

test.each([
  [
    { from: 'scheduler', code: 'AccessDeniedException', message: 'not allowed', retries: 185 },
    'EventBridge Scheduler could not hand it to Lambda (AccessDeniedException, tried again 185 times): not allowed',
  ],
  [{ from: 'function', code: '200', message: 'boom' }, 'the function failed at its last attempt: boom'],
  [{ from: 'function', code: '429', message: '' }, 'Lambda had no capacity for it until it was too old'],
  [{ from: 'function', code: '500', message: '' }, 'Lambda could not run the function (500)'],
  [
    { from: 'stream', code: 'RetryAttemptsExhausted', message: '', changes: 3 },
    'lifecycle events of 3 changes could not be told (RetryAttemptsExhausted)',
  ],
] as const)('why it was given up is said in words: %j', (change, words) => {
  expect(whyGivenUp(letter(change))).toBe(words);
});

test('letters of one occurrence are one line, with how many and the newest reason', () => {
  const other = { ...event, scheduledTime: NOON - HOUR };
  const groups = groupDeadLetters([
    letter({ id: 'a', givenUpAt: 1_000, message: 'old' }),
    letter({ id: 'b', givenUpAt: 5_000, message: 'new' }),
    letter({ id: 'c', givenUpAt: 9_000, event: other }),
  ]);
  expect(groups).toEqual([
    { event: other, from: 'function', givenUpAt: 9_000, why: expect.stringContaining('boom'), times: 1 },
    { event, from: 'function', givenUpAt: 5_000, why: expect.stringContaining('new'), times: 2 },
  ]);
});

test('a person means those of a job, of an occurrence, those that are no event, or all', () => {
  const { event: _, ...none } = letter({ from: 'unknown' });
  expect(isChosen(letter(), {})).toBe(true);
  expect(isChosen(none, {})).toBe(true);
  expect(isChosen(letter(), { job: 'sync' })).toBe(true);
  expect(isChosen(letter(), { job: 'sync', scheduledTime: NOON })).toBe(true);
  expect(isChosen(letter(), { job: 'sync', scheduledTime: NOON + 1_000 })).toBe(false);
  expect(isChosen(letter(), { job: 'other' })).toBe(false);
  expect(isChosen(none, { job: 'sync' })).toBe(false);
  expect([isChosen(none, { other: true }), isChosen(letter(), { other: true })]).toEqual([true, false]);
});
