import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { type JobRun, runOnce } from '../../lambdas/runtime/index.ts';
import { SettableClock } from '../../lambdas/runtime/testing/index.ts';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
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

test('the window of a yearly job begins at its last success, although records are deleted', async () => {
  const schedule = parseSchedule('@yearly', { timeZone: 'UTC' });
  const retentionMs = planRetention(schedule) ?? 0;
  const table = new MemoryDynamoDb();
  const client = { send: async (command: Parameters<typeof table.apply>[0]) => table.apply(command) };
  const clock = new SettableClock('2026-06-01T00:00:00Z');
  const dependencies = {
    job: jobDefinition({ name: 'accounts', retentionMs }),
    environment: 'test',
    store: new DynamoDbRunStore(client as unknown as DynamoDBClient, 'runs'),
    clock,
    newClaimToken: () => String(clock.now()),
    print: () => {},
  };
  const windows: (readonly [string | undefined, string])[] = [];
  const handler = ({ window: { from, to } }: JobRun) =>
    void windows.push([from?.toISOString().slice(0, 10), to.toISOString().slice(0, 10)]);
  for (let year = 0; year < 3; year++) {
    const due = schedule.next(clock.now()) ?? 0;
    clock.set(due);
    for (const item of table.items('runs')) {
      if (Number(item.expiresAt?.N) * 1_000 < due) table.overwrite('runs', item, undefined);
    }
    const endsAt = due + 65_000;
    await runOnce(dependencies, { job: 'accounts', scheduledTime: formatInstant(due) }, handler, {
      awsRequestId: 'request',
      invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:accounts',
      getRemainingTimeInMillis: () => endsAt - clock.now(),
    });
  }
  expect(windows).toEqual([
    [undefined, '2027-01-01'],
    ['2027-01-01', '2028-01-01'],
    ['2028-01-01', '2029-01-01'],
  ]);
});
