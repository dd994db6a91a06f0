import { ACCOUNT, REGION } from '../assembly/local-account.ts';
import type { ScheduleProperties, ScheduleResource } from '../assembly/resources.ts';

/** A schedule from its properties, which the template and the Scheduler API name alike. */
export function scheduleResource(name: string, group: string, properties: ScheduleProperties): ScheduleResource {
  const startAt = instantOf(properties.StartDate);
  const endAt = instantOf(properties.EndDate);
  const input = properties.Target?.Input;
  const deadLetterArn = properties.Target?.DeadLetterConfig?.Arn;
  return {
    name,
    group,
    arn: `arn:aws:scheduler:${REGION}:${ACCOUNT}:schedule/${group}/${name}`,
    expression: String(properties.ScheduleExpression),
    timeZone: String(properties.ScheduleExpressionTimezone ?? 'UTC'),
    enabled: properties.State !== 'DISABLED',
    targetArn: String(properties.Target?.Arn),
    ...(deadLetterArn === undefined ? {} : { deadLetterArn: String(deadLetterArn) }),
    ...(typeof input === 'string' ? { input } : {}),
    ...(startAt === undefined ? {} : { startAt }),
    ...(endAt === undefined ? {} : { endAt }),
    deleteAfterCompletion: properties.ActionAfterCompletion === 'DELETE',
    properties,
  };
}

function instantOf(date: unknown): number | undefined {
  if (date === undefined || date === null) return undefined;
  return typeof date === 'number' ? date * 1000 : Date.parse(String(date));
}
