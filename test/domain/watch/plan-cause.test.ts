import { describe, expect, test } from 'vitest';
import {
  type Evidence,
  type FoundSchedule,
  type MissCause,
  planCause,
  remedy,
  type UndeliveredEvent,
} from '../../../lib/domain/watch/plan-cause.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const missed = {
  scheduler: 'belfry-test',
  job: 'sync',
  scheduledTime: NOON,
  awsSchedules: [{ expression: 'cron(0 12 * * ? *)', timeZone: 'Europe/Berlin' }],
  functionName: 'belfry-test_sync',
};

const SOUND: NonNullable<FoundSchedule['found']> = {
  expression: 'cron(0 12 * * ? *)',
  timeZone: 'Europe/Berlin',
  isEnabled: true,
  target: 'arn:aws:lambda:eu-west-1:123456789012:function:belfry-test_sync',
  input: '{"job":"sync","scheduledTime":"<aws.scheduler.scheduled-time>","revision":"r1"}',
};

const schedule = (change: Partial<typeof SOUND> = {}): Evidence => ({
  schedules: [{ name: 'belfry-test_sync', found: { ...SOUND, ...change } }],
});

const undelivered = (change: Partial<UndeliveredEvent>): Evidence => ({
  ...schedule(),
  undelivered: [{ job: 'sync', scheduledTime: NOON, from: 'scheduler', code: '', message: '', ...change }],
});

const CASES: readonly (readonly [string, Evidence, MissCause])[] = [
  ['somebody disabled the schedule', schedule({ isEnabled: false }), 'scheduleDisabled'],
  ['somebody deleted it', { schedules: [{ name: 'belfry-test_sync' }] }, 'scheduleDeleted'],
  ['somebody changed its expression', schedule({ expression: 'cron(0 13 * * ? *)' }), 'scheduleChanged'],
  ['somebody changed its zone', schedule({ timeZone: 'UTC' }), 'scheduleChanged'],
  ['it invokes another function', schedule({ target: 'arn:aws:lambda:eu-west-1:1:function:other' }), 'targetChanged'],
  ['it sends another event', schedule({ input: '{"job":"other"}' }), 'targetChanged'],
  [
    'its role may not invoke',
    undelivered({
      code: 'AWS.Lambda.AccessDeniedException',
      message: 'User is not authorized to perform: lambda:InvokeFunction',
    }),
    'roleDenied',
  ],
  ['its role cannot be assumed', undelivered({ code: 'INVALID_ROLE', message: 'cannot assume role x' }), 'roleDenied'],
  ['the function is gone', { ...schedule(), function: { exists: false } }, 'functionMissing'],
  [
    'the function was gone when it was fired',
    undelivered({ code: 'ResourceNotFoundException', message: 'Function not found' }),
    'functionMissing',
  ],
  [
    'the function does not start',
    undelivered({ from: 'function', code: '200', message: 'Runtime.ImportModuleError' }),
    'functionFailing',
  ],
  [
    'the function is in a failed state',
    { ...schedule(), function: { exists: true, state: 'Failed', stateReason: 'EniLimitExceeded' } },
    'functionFailing',
  ],
  [
    'the function is switched off',
    { ...schedule(), function: { exists: true, state: 'Active', reservedConcurrency: 0 } },
    'throttled',
  ],
  [
    'Lambda gave it up for want of capacity',
    undelivered({ from: 'function', code: '429', message: 'Rate Exceeded.' }),
    'throttled',
  ],
  [
    'it was given up for another reason',
    undelivered({ code: 'InternalServiceError', message: 'try again' }),
    'deadLettered',
  ],
  ['everything was late', { ...schedule(), firingLatenessMs: 240_000 }, 'providerLate'],
];

describe('the cause of a miss', () => {
  test.each(CASES)('%s', (_, evidence, cause) => {
    expect(planCause(missed, evidence).cause).toBe(cause);
  });

  test('is unknown where nothing is proved', () => {
    expect(planCause(missed, {})).toEqual({ cause: 'unknown' });
    const sound = {
      ...schedule(),
      function: { exists: true, state: 'Active' },
      undelivered: [],
      firingLatenessMs: 20_000,
    };
    expect(planCause(missed, sound)).toEqual({ cause: 'unknown' });
  });

  test('is not taken from the event of another occurrence', () => {
    const other = undelivered({ code: 'AccessDeniedException', scheduledTime: NOON - 60_000 });
    expect(planCause(missed, other).cause).toBe('unknown');
  });

  test('a schedule that could not be looked at is not one that is gone', () => {
    expect(planCause(missed, { schedules: [] }).cause).toBe('unknown');
  });

  test('what stopped this very event counts before what could have', () => {
    const both = {
      ...undelivered({ code: 'AccessDeniedException' }),
      function: { exists: true, reservedConcurrency: 0 },
    };
    expect(planCause(missed, both).cause).toBe('roleDenied');
  });

  test('the second schedule of a job is looked at under its own name', () => {
    const two = {
      ...missed,
      awsSchedules: [...missed.awsSchedules, { expression: 'cron(0 18 * * ? *)', timeZone: 'UTC' }],
    };
    const evidence = { schedules: [...(schedule().schedules ?? []), { name: 'belfry-test_sync.2' }] };
    expect(planCause(two, evidence)).toMatchObject({
      cause: 'scheduleDeleted',
      detail: "there is no schedule 'belfry-test_sync.2'",
    });
  });

  test('each has a command to begin with, which can be pasted as it is', () => {
    const place = { environment: 'prod', scheduler: 'billing', jobsStacks: 'Billing', functionName: 'billing_sync' };
    for (const cause of new Set([...CASES.map(([, , one]) => one), 'unknown' as const])) {
      expect(remedy(cause, 'sync', place)).toMatch(/^(belfry|cdk|aws) [^,:;]*('[^']*')?[^,:;]*( && (cdk|aws) .*)?$/);
    }
  });
});
