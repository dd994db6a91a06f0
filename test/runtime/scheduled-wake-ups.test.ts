import { ConflictException, type CreateScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';
import { expect, test } from 'vitest';
import { ScheduledWakeUps } from '../../lib/adapters/eventbridge-scheduler/scheduled-wake-ups.ts';

const wakeUp = {
  job: 'invoice-dunning',
  scheduledTime: Date.parse('2026-11-02T13:00:00Z'),
  at: Date.parse('2026-11-02T13:07:00.250Z'),
  trigger: 'schedule' as const,
  revision: 'r1',
  purpose: 'r2',
  target: 'arn:aws:lambda:us-east-1:000000000000:function:dunning',
};

function schedules(answer: () => unknown) {
  const sent: CreateScheduleCommand['input'][] = [];
  let clients = 0;
  const client = {
    send: async ({ input }: CreateScheduleCommand) => {
      sent.push(input);
      return answer();
    },
  };
  const settings = { group: 'wake-ups', role: 'arn:aws:iam::000000000000:role/wake' };
  const wakeUps = new ScheduledWakeUps(() => {
    clients++;
    return client as unknown as SchedulerClient;
  }, settings);
  return { wakeUps, sent, clients: () => clients };
}

test('a wake-up is a one-time schedule that deletes itself, at the next whole second', async () => {
  const { wakeUps, sent } = schedules(() => ({}));
  await wakeUps.arm(wakeUp);
  expect(sent).toEqual([
    {
      Name: `invoice-dunning.${(wakeUp.scheduledTime / 1000).toString(36)}-r2`,
      GroupName: 'wake-ups',
      ScheduleExpression: 'at(2026-11-02T13:07:01)',
      ScheduleExpressionTimezone: 'UTC',
      FlexibleTimeWindow: { Mode: 'OFF' },
      ActionAfterCompletion: 'DELETE',
      Target: {
        Arn: wakeUp.target,
        RoleArn: 'arn:aws:iam::000000000000:role/wake',
        Input: '{"job":"invoice-dunning","scheduledTime":"2026-11-02T13:00:00Z","trigger":"schedule","revision":"r1"}',
        RetryPolicy: { MaximumEventAgeInSeconds: 3_600, MaximumRetryAttempts: 10 },
      },
    },
  ]);
  expect(sent[0]?.Name?.length).toBeLessThanOrEqual(64);
});

test('the same wake-up again is fine; another error is not', async () => {
  const conflict = schedules(() => {
    throw new ConflictException({ message: 'exists', Message: 'exists', $metadata: {} });
  });
  await conflict.wakeUps.arm(wakeUp);
  const throttled = schedules(() => {
    throw new Error('throttled');
  });
  await expect(throttled.wakeUps.arm(wakeUp)).rejects.toThrow('throttled');
});

test('no client is made before the first wake-up', async () => {
  const { wakeUps, clients } = schedules(() => ({}));
  expect(clients()).toBe(0);
  await wakeUps.arm(wakeUp);
  await wakeUps.arm(wakeUp);
  expect(clients()).toBe(1);
});

test('the longest job name leaves room for the rest of the schedule name', async () => {
  const { wakeUps, sent } = schedules(() => ({}));
  await wakeUps.arm({ ...wakeUp, job: 'j'.repeat(48), scheduledTime: 9e12, purpose: 'w1lyo0' });
  expect(sent[0]?.Name?.length).toBeLessThanOrEqual(64);
});
