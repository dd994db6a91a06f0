import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { type JobRun, runOnce } from '../../lambdas/runtime/index.ts';
import { SettableClock } from '../../lambdas/runtime/testing/index.ts';
import { DynamoDbOperatorStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-operator-store.ts';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import type { JobDefinition } from '../../lib/domain/job.ts';
import { planRetention } from '../../lib/domain/run/plan-retention.ts';
import { parseSchedule } from '../../lib/domain/schedule/parse-schedule.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { MemoryDynamoDb } from '../support/memory-dynamodb.ts';

const DAY = 86_400_000;

test.each([
  ['* * * * *', undefined],
  ['@daily', undefined],
  ['@monthly', undefined],
  ['0 0 1 1,4,7,10 *', 191],
  ['@yearly', 739],
  ['0 0 29 2 *', 2_929],
  ['at(2026-12-01T10:00:00)', undefined],
])('records of a job due at %s are kept for %s days instead of 90', (schedule, days) => {
  const retentionMs = planRetention(parseSchedule(schedule, { timeZone: 'UTC' }));
  expect(retentionMs).toBe(days === undefined ? undefined : days * DAY);
});

/** A table whose old records are deleted when somebody looks, and deliveries of one job to it. */
function lastingJob(overrides: Partial<JobDefinition>) {
  const table = new MemoryDynamoDb();
  const client = { send: async (command: Parameters<typeof table.apply>[0]) => table.apply(command) };
  const clock = new SettableClock('2026-06-01T00:00:00Z');
  const store = new DynamoDbRunStore(client as unknown as DynamoDBClient, 'runs');
  const job = jobDefinition({ name: 'accounts', ...overrides });
  let serial = 0;
  const newClaimToken = () => String(++serial);
  const dependencies = { job, environment: 'test', scheduler: 'test', store, clock, newClaimToken, print: () => {} };
  const windows: (readonly [string | undefined, string])[] = [];
  const handler = ({ window: { from, to } }: JobRun) =>
    void windows.push([from?.toISOString().slice(0, 10), to.toISOString().slice(0, 10)]);
  const deliver = (due: number) => {
    clock.set(due);
    for (const item of table.items('runs')) {
      if (Number(item.expiresAt?.N) * 1_000 < due) table.overwrite('runs', item, undefined);
    }
    const endsAt = due + 65_000;
    return runOnce(dependencies, { job: 'accounts', scheduledTime: formatInstant(due) }, handler, {
      awsRequestId: 'request',
      invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:accounts',
      getRemainingTimeInMillis: () => endsAt - clock.now(),
    });
  };
  return {
    table,
    clock,
    store,
    windows,
    deliver,
    operator: new DynamoDbOperatorStore(client as unknown as DynamoDBClient, 'runs'),
  };
}

test('the window of a yearly job begins at its last success, although records are deleted', async () => {
  const schedule = parseSchedule('@yearly', { timeZone: 'UTC' });
  const it = lastingJob({ retentionMs: planRetention(schedule) ?? 0 });
  for (let year = 0; year < 3; year++) await it.deliver(schedule.next(it.clock.now()) ?? 0);
  expect(it.windows).toEqual([
    [undefined, '2027-01-01'],
    ['2027-01-01', '2028-01-01'],
    ['2028-01-01', '2029-01-01'],
  ]);
});

test('so does the window after a pause that outlasts the records', async () => {
  const it = lastingJob({});
  const start = Date.parse('2026-06-01T00:00:00Z');
  await it.deliver(start);
  await it.deliver(start + DAY);
  await it.operator.pause('accounts', { by: 'ann', note: 'moving' }, start + DAY + 1);
  for (let day = 2; day < 120; day++) {
    expect(await it.deliver(start + day * DAY)).toMatchObject({ outcome: 'skipped' });
  }
  await it.operator.resume('accounts', { by: 'ann' }, start + 119 * DAY + 1);
  await it.deliver(start + 120 * DAY);
  await it.deliver(start + 121 * DAY);
  expect(await it.store.getRun({ job: 'accounts', scheduledTime: start + DAY }), 'its record is gone').toBeUndefined();
  expect(it.windows).toEqual([
    [undefined, '2026-06-01'],
    ['2026-06-01', '2026-06-02'],
    ['2026-06-02', '2026-09-29'],
    ['2026-09-29', '2026-09-30'],
  ]);
});

test('what a pause has noted of the last success is written once', async () => {
  const it = lastingJob({});
  const start = Date.parse('2026-06-01T00:00:00Z');
  await it.deliver(start);
  await it.operator.pause('accounts', { by: 'ann', note: 'moving' }, start + 1);
  const turn = () => it.store.getTurn('accounts');
  await it.deliver(start + DAY);
  const noted = await turn();
  expect(noted).toMatchObject({ holder: start, windowFrom: start });
  const before = it.table.items('runs').find(({ sk }) => sk?.S === '$');
  await it.deliver(start + 2 * DAY);
  expect(it.table.items('runs').find(({ sk }) => sk?.S === '$')).toEqual(before);
  await it.store.noteSuccess({ ...noted, version: noted.version - 1 }, start - DAY, start);
  expect(await turn(), 'of a turn that has passed on').toEqual(noted);
});
