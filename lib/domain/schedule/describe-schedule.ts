import cronstrue from 'cronstrue';
import { bitsOf, canonicalUnixCron } from '../cron/canonical-cron.ts';
import type { CronRule } from '../cron/cron-rule.ts';
import type { DayRule } from '../cron/day-rule.ts';
import { formatWallTime } from '../time/civil-date.ts';
import { formatEvery } from './parse-every.ts';
import { parsed, type ScheduleEntry } from './parsed-schedule.ts';
import type { Schedule } from './schedule.ts';

/** The schedule in English words, e.g. `At 08:00, Monday through Friday`. Made for people: do not parse it. */
export function describeSchedule(schedule: Schedule): string {
  return joined(parsed(schedule).entries.map(describeEntry));
}

function describeEntry(entry: ScheduleEntry): string {
  if (entry.kind === 'every') {
    return `Every ${formatEvery(entry.timetable.intervalMs)} of elapsed time`;
  }
  if (entry.kind === 'at') {
    return `Once, at ${formatWallTime(entry.wallMs).replace('T', ' ')}`;
  }
  if (entry.kind === 'reboot') {
    return 'Once after each deployment';
  }
  const { rule } = entry.timetable;
  const hourText = entry.unix?.fields[1] ?? (rule.isInterval ? '*' : '');
  return `${joined(plainRules(rule).map((plain) => words(plain, hourText)))}${yearWords(rule.years)}`;
}

function words(rule: CronRule, hourText: string): string {
  return cronstrue.toString(canonicalUnixCron(rule, hourText), { use24HourTimeFormat: true, verbose: false });
}

/** Rules that each have one kind of day, since "the 13th and Friday" leaves open what is meant. */
function plainRules(rule: CronRule): CronRule[] {
  const { days } = rule;
  if (days.monthDaysRestricted && days.weekdaysRestricted) {
    const noMonthDays = { monthDays: 0, lastDay: false, lastWorkday: false, nearestWorkdays: 0, daysBeforeLast: 0 };
    const noWeekdays = { weekdaysRestricted: false, weekdays: 0, nthWeekdays: [], lastWeekdays: 0 };
    return [
      ...plainRules({ ...rule, days: { ...days, ...noWeekdays } }),
      ...plainRules({ ...rule, days: { ...days, ...noMonthDays, monthDaysRestricted: false } }),
    ];
  }
  return monthDayParts(days).map((part) => ({ ...rule, days: part }));
}

/** The library has no words for a list with `W` or several `L-n` in it. */
function monthDayParts(days: DayRule): DayRule[] {
  const none = { ...days, monthDays: 0, lastDay: false, lastWorkday: false, nearestWorkdays: 0, daysBeforeLast: 0 };
  const parts: DayRule[] = [
    ...(days.monthDays !== 0 || days.lastDay ? [{ ...none, monthDays: days.monthDays, lastDay: days.lastDay }] : []),
    ...bitsOf(days.nearestWorkdays, 0).map((bit) => ({ ...none, nearestWorkdays: 1 << bit })),
    ...bitsOf(days.daysBeforeLast, 0).map((bit) => ({ ...none, daysBeforeLast: 1 << bit })),
    ...(days.lastWorkday ? [{ ...none, lastWorkday: true }] : []),
  ];
  return parts.length > 1 ? parts : [days];
}

function yearWords(years: readonly number[] | undefined): string {
  if (years === undefined) {
    return '';
  }
  const shown = years.length > 6 ? `${years[0]} to ${years.at(-1)}, ${years.length} years` : years.join(', ');
  return `, only in ${shown}`;
}

function joined(texts: readonly string[]): string {
  return texts.map((text, index) => (index === 0 ? text : text.charAt(0).toLowerCase() + text.slice(1))).join('; and ');
}
