import { compactList, type ListStyle } from './compact-list.ts';
import type { CronRule } from './cron-rule.ts';
import { monthsOf } from './cron-rule.ts';
import type { DayRule } from './day-rule.ts';
import { valuesOf } from './field-set.ts';

const MINUTES: ListStyle = { first: 0, last: 59, steps: true, stepFromStar: true };
const HOURS: ListStyle = { first: 0, last: 23, steps: true, stepFromStar: false };
const MONTH_DAYS: ListStyle = { first: 1, last: 31, steps: true, stepFromStar: true };
const MONTHS: ListStyle = { first: 1, last: 12, steps: true, stepFromStar: true };
const WEEKDAYS: ListStyle = { first: 0, last: 6, steps: false, stepFromStar: false };

/** One spelling for all unix expressions that mean the same; reading it gives the same rule. */
export function canonicalUnixCron(rule: CronRule, hourText: string): string {
  return [
    compactList(valuesOf(rule.minutes), MINUTES),
    canonicalHours(rule, hourText),
    canonicalMonthDays(rule.days),
    compactList(monthsOf(rule), MONTHS),
    canonicalWeekdays(rule.days),
  ].join(' ');
}

/** An interval keeps its star, since the star is what makes it one; a fixed list of all hours must not get one. */
function canonicalHours(rule: CronRule, hourText: string): string {
  const hours = valuesOf(rule.hours);
  if (!rule.isInterval) {
    return hours.length === 24 ? '0-23' : compactList(hours, HOURS);
  }
  const [first, second] = hours;
  if (hours.length === 24) {
    return '*';
  }
  if (first === 0 && second !== undefined) {
    const starred = compactList(hours, { ...HOURS, stepFromStar: true });
    return starred.startsWith('*') ? starred : starredHours(hourText, hours);
  }
  return starredHours(hourText, hours);
}

function starredHours(hourText: string, hours: readonly number[]): string {
  const [star = '*'] = hourText.split(',', 1);
  const step = Number(star.slice(2) || '1');
  const rest = hours.filter((hour) => hour % step !== 0);
  return rest.length === 0 ? `*/${step}` : `*/${step},${compactList(rest, HOURS)}`;
}

function canonicalMonthDays(days: DayRule): string {
  if (!days.monthDaysRestricted) {
    return '*';
  }
  const plain = bitsOf(days.monthDays, 1);
  const items = plain.length === 31 ? ['1-31'] : plain.length > 0 ? [compactList(plain, MONTH_DAYS)] : [];
  items.push(...bitsOf(days.nearestWorkdays, 1).map((day) => `${day}W`));
  items.push(...bitsOf(days.daysBeforeLast, 0).map((count) => `L-${count}`));
  if (days.lastWorkday) {
    items.push('LW');
  }
  if (days.lastDay) {
    items.push('L');
  }
  return items.join(',');
}

function canonicalWeekdays(days: DayRule): string {
  if (!days.weekdaysRestricted) {
    return '*';
  }
  const plain = bitsOf(days.weekdays, 0);
  const items = plain.length === 7 ? ['0-6'] : plain.length > 0 ? [compactList(plain, WEEKDAYS)] : [];
  days.nthWeekdays.forEach((weekdays, index) => {
    items.push(...bitsOf(weekdays, 0).map((weekday) => `${weekday}#${index + 1}`));
  });
  items.push(...bitsOf(days.lastWeekdays, 0).map((weekday) => `${weekday}L`));
  return items.join(',');
}

/** Members of a set of bits; bit 0 stands for `first`. */
export function bitsOf(bits: number, first: number): number[] {
  const members: number[] = [];
  for (let bit = 0; bit < 31; bit++) {
    if ((bits >> bit) & 1) {
      members.push(bit + first);
    }
  }
  return members;
}
