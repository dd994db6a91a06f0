import { randomBytes, randomUUID } from 'node:crypto';
import { formatInstant } from '../../domain/time/instant.ts';
import { ACCOUNT, REGION } from '../assembly/local-account.ts';
import type { ScheduleResource } from '../assembly/resources.ts';

/**
 * What EventBridge Scheduler sends to the target: the schedule's input with the four context attributes put in as text,
 * anything else in angle brackets left alone; or its default envelope when the schedule has no input.
 */
export function firingPayload(schedule: ScheduleResource, scheduledTime: number, attempt = 1): string {
  if (schedule.input === undefined) return defaultEnvelope(schedule, scheduledTime);
  const attributes: { readonly [name: string]: string } = {
    'schedule-arn': schedule.arn,
    'scheduled-time': formatInstant(scheduledTime),
    'execution-id': randomBytes(8).toString('hex'),
    'attempt-number': String(attempt),
  };
  return schedule.input.replace(/<aws\.scheduler\.([a-z-]+)>/g, (written, name: string) => attributes[name] ?? written);
}

function defaultEnvelope(schedule: ScheduleResource, scheduledTime: number): string {
  return JSON.stringify({
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.scheduler',
    account: ACCOUNT,
    time: formatInstant(scheduledTime),
    region: REGION,
    resources: [schedule.arn],
    detail: '{}',
  });
}
