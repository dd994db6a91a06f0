import type { ScheduleResource } from '../assembly/resources.ts';

export interface Refresh {
  /** New, or not what they were. */
  readonly changed: readonly ScheduleResource[];
  readonly removed: readonly ScheduleResource[];
}

/** What is different between the schedules that are driven and those that the endpoint holds now. */
export function planRefresh(driven: readonly ScheduleResource[], held: readonly ScheduleResource[]): Refresh {
  const before = new Map(driven.map((schedule) => [nameOf(schedule), JSON.stringify(schedule)]));
  const now = new Set(held.map(nameOf));
  return {
    changed: held.filter((schedule) => before.get(nameOf(schedule)) !== JSON.stringify(schedule)),
    removed: driven.filter((schedule) => !now.has(nameOf(schedule))),
  };
}

/** Names are unique within a group. */
export function nameOf({ group, name }: { readonly group: string; readonly name: string }): string {
  return `${group}/${name}`;
}
