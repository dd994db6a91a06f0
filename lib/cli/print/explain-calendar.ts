import type { Schedule } from '../../domain/schedule/schedule.ts';
import { civilDate, MS_PER_DAY, weekdayOf } from '../../domain/time/civil-date.ts';
import { zoneNamed } from '../../domain/time/zone.ts';

const WEEKS = 5;
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const MONDAY = 1;

export interface CalendarPaint {
  readonly due: (text: string) => string;
  readonly idle: (text: string) => string;
}

/**
 * Five weeks from the first occurrence after `from`, Monday first, in the schedule's zone; days with occurrences are
 * marked, so that the strip can be read without colours too.
 */
export function calendarLines(schedule: Schedule, from: number, paint: CalendarPaint): string[] {
  const first = schedule.next(from);
  if (first === undefined) {
    return [];
  }
  const zone = zoneNamed(schedule.timeZone);
  const dayOf = (instant: number) => Math.floor((instant + zone.offsetAt(instant)) / MS_PER_DAY);
  const firstDay = dayOf(first);
  const monday = firstDay - ((weekdayOf(firstDay) - MONDAY + 7) % 7);
  const lastDay = monday + WEEKS * 7 - 1;
  const due = new Set<number>();
  for (let instant: number | undefined = first; instant !== undefined && dayOf(instant) <= lastDay; ) {
    const day = dayOf(instant);
    due.add(day);
    // One occurrence is enough for its day; the clock shows the next day 26 hours later at most.
    const within = (day + 1) * MS_PER_DAY - zone.offsetAt(instant);
    instant = schedule.next(Math.max(instant, within - 3 * 3_600_000));
  }
  const lines = [
    `         ${'Mo Tu We Th Fr Sa Su'
      .split(' ')
      .map((name) => paint.idle(` ${name} `))
      .join('')}`,
  ];
  for (let week = monday; week <= lastDay; week += 7) {
    const { year, month } = civilDate(week);
    const days = Array.from({ length: 7 }, (_, index) => {
      const day = String(civilDate(week + index).day).padStart(2);
      return due.has(week + index) ? paint.due(`[${day}]`) : paint.idle(` ${day} `);
    });
    lines.push(`${MONTHS[month - 1]} ${year} ${days.join('')}`);
  }
  return lines;
}
