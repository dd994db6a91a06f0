import type { ScheduleResource } from '../assembly/resources.ts';
import { nameOf } from './plan-refresh.ts';

export interface Restoration {
  readonly group: string;
  readonly name: string;
  /** What the schedule should say. */
  readonly expression: string;
  readonly timeZone: string;
  readonly startAt?: number;
  readonly endAt?: number;
  readonly enabled: boolean;
  /** What the endpoint had otherwise, for people. */
  readonly lost: readonly string[];
}

/**
 * Emulators' CloudFormation drops parts of a schedule: ministack its zone and its dates, and LocalStack any change to it.
 * Says which schedules an endpoint holds otherwise than the app declares them.
 */
export function planRestore(declared: readonly ScheduleResource[], held: readonly ScheduleResource[]): Restoration[] {
  const holds = new Map(held.map((schedule) => [nameOf(schedule), schedule]));
  return declared.flatMap((schedule) => {
    const other = holds.get(nameOf(schedule));
    if (other === undefined) return [];
    const lost = differences(schedule, other);
    if (lost.length === 0) return [];
    const { group, name, expression, timeZone, startAt, endAt, enabled } = schedule;
    return [
      {
        group,
        name,
        expression,
        timeZone,
        ...(startAt === undefined ? {} : { startAt }),
        ...(endAt === undefined ? {} : { endAt }),
        enabled,
        lost,
      },
    ];
  });
}

function differences(declared: ScheduleResource, held: ScheduleResource): string[] {
  const fields = ['expression', 'timeZone', 'startAt', 'endAt', 'enabled'] as const;
  return fields
    .filter((field) => declared[field] !== held[field])
    .map((field) => `${field} ${String(held[field] ?? 'none')} instead of ${String(declared[field] ?? 'none')}`);
}
