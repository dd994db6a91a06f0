import { scheduleResource } from '../schedules/schedule-resource.ts';
import type { Intrinsics } from './intrinsics.ts';
import type { ScheduleProperties, ScheduleResource } from './resources.ts';

export function readSchedules(intrinsics: Intrinsics, notes: string[]): ScheduleResource[] {
  return [...intrinsics.resources('AWS::Scheduler::Schedule')].map(({ stack, logicalId, resource }) => {
    const properties = (intrinsics.resolve(resource.Properties ?? {}, stack) ?? {}) as ScheduleProperties & {
      readonly GroupName?: string;
    };
    const schedule = scheduleResource(
      intrinsics.reference(stack, logicalId),
      properties.GroupName ?? 'default',
      properties,
    );
    if (properties.FlexibleTimeWindow?.Mode === 'FLEXIBLE') {
      notes.push(
        `schedule ${schedule.name}: fires at its time, not somewhere in its flexible window of ${String(properties.FlexibleTimeWindow.MaximumWindowInMinutes)} minutes`,
      );
    }
    return schedule;
  });
}
