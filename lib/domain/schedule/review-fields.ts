import { bitsOf } from '../cron/canonical-cron.ts';
import { monthsOf } from '../cron/cron-rule.ts';
import { DAY_OF_MONTH, DAY_OF_WEEK, type Field, monthName, UNIX_FIELDS, weekdayName } from '../cron/field.ts';
import type { UnixCron } from '../cron/parse-unix-cron.ts';
import { daysInMonth } from '../time/civil-date.ts';
import type { ScheduleWarning } from './warning.ts';

/** Surprises in the text of a unix expression. */
export function* reviewFields(unix: UnixCron): Generator<ScheduleWarning> {
  for (const [index, field] of UNIX_FIELDS.entries()) {
    for (const item of (unix.fields[index] ?? '').split(',')) {
      yield* reviewStep(field, item);
    }
  }
  yield* reviewEveryMinute(unix);
  yield* reviewDayFields(unix);
  yield* reviewMonthEnds(unix);
}

const SIZES = new Map<string, number>([
  ['minute', 60],
  ['hour', 24],
  ['month', 12],
  ['day-of-month', 31],
  ['day-of-week', 7],
]);
const STARTS_OVER = new Map<string, string>([
  ['minute', 'every hour'],
  ['hour', 'every day'],
  ['month', 'every year'],
  ['day-of-month', 'on the 1st of every month'],
  ['day-of-week', 'every Sunday'],
]);

function* reviewStep(field: Field, item: string): Generator<ScheduleWarning> {
  const match = /^(\*|[0-9]{1,2}|[A-Za-z]{3})\/([0-9]+)$/.exec(item);
  const step = Number(match?.[2] ?? '1');
  if (match === null || step === 1) {
    return;
  }
  const size = SIZES.get(field.name) ?? 0;
  const named = field.names.get((match[1] ?? '').toUpperCase());
  const start = match[1] === '*' ? field.first : (named ?? Number(match[1]));
  const last = match[1] === '*' && field === DAY_OF_WEEK ? 6 : field.last;
  const count = Math.floor((last - start) / step) + 1;
  if (count === 1) {
    yield { code: 'StepTooLarge', message: tooLarge(field, item, start, step) };
    return;
  }
  const lastGap = size - (count - 1) * step;
  if (field === DAY_OF_WEEK && match[1] !== '*' && start + (count - 1) * step === 7) {
    yield {
      code: 'StepReachesSunday',
      message: `day-of-week '${item}' counts to 7, so it includes Sunday: list the days if that is not meant`,
    };
  }
  if (field === DAY_OF_MONTH) {
    yield {
      code: 'UnevenStep',
      message: `day-of-month '${item}' starts over ${STARTS_OVER.get(field.name)}, so the last interval of a month is shorter or longer than ${step} days`,
    };
  } else if (lastGap !== step) {
    yield {
      code: 'UnevenStep',
      message: `${field.name} '${item}' starts over ${STARTS_OVER.get(field.name)}: the last interval is ${lastGap}, not ${step}${everyAdvice(field, step)}`,
    };
  }
}

function tooLarge(field: Field, item: string, start: number, step: number): string {
  const only = field === DAY_OF_WEEK ? weekdayName(start) : field.name === 'month' ? monthName(start) : `${start}`;
  const meaning = field.name === 'minute' ? ', once an hour' : field.name === 'hour' ? ', once a day' : '';
  return `${field.name} '${item}' means ${only} only${meaning}: the step leaves the field${everyAdvice(field, step)}`;
}

function everyAdvice(field: Field, step: number): string {
  const unit = field.name === 'minute' ? 'm' : field.name === 'hour' ? 'h' : undefined;
  return unit === undefined ? '' : `; for every ${step} ${field.name}s of elapsed time write '@every ${step}${unit}'`;
}

function* reviewEveryMinute({ fields }: UnixCron): Generator<ScheduleWarning> {
  const [minute, hour, ...days] = fields;
  if (minute === '*' && !hour.startsWith('*')) {
    yield {
      code: 'EveryMinuteOfHour',
      message: `every minute of hour ${hour} is meant by '${fields.join(' ')}': for once an hour write '0 ${hour} ${days.join(' ')}'`,
    };
  }
}

function* reviewDayFields({ rule, fields }: UnixCron): Generator<ScheduleWarning> {
  const { days } = rule;
  if (!days.monthDaysRestricted || !days.weekdaysRestricted) {
    return;
  }
  const [minute, hour, monthDay, month, weekday] = fields;
  yield {
    code: 'EitherDay',
    message: `day-of-month '${monthDay}' and day-of-week '${weekday}' are both given, so a day that is either is meant, not one that is both; a day that is both still has one run`,
  };
  if (monthDay.startsWith('*') || weekday.startsWith('*')) {
    const star = monthDay.startsWith('*') ? monthDay : weekday;
    yield {
      code: 'ReadDifferentlyByVixie',
      message: `Vixie cron takes '${star}' for unrestricted, because it starts with '*', and asks for days that are both: here a day that is either is meant`,
    };
  }
  const week = WEEKS.get(monthDay);
  const weekdays = bitsOf(days.weekdays, 0);
  if (week !== undefined && weekdays.length === 1 && days.lastWeekdays === 0 && days.nthWeekdays.length === 0) {
    yield {
      code: 'NthWeekdayMistaken',
      message: `'${fields.join(' ')}' does not mean one ${weekdayName(weekdays[0] ?? 0)} a month: for that write '${minute} ${hour} * ${month} ${weekdays[0]}${week}'`,
    };
  }
}

const WEEKS: ReadonlyMap<string, string> = new Map([
  ['1-7', '#1'],
  ['8-14', '#2'],
  ['15-21', '#3'],
  ['22-28', '#4'],
  ['25-31', 'L'],
  ['24-31', 'L'],
  ['29-31', '#5'],
]);

function* reviewMonthEnds({ rule, fields }: UnixCron): Generator<ScheduleWarning> {
  const { days } = rule;
  const months = monthsOf(rule);
  const listed = fields[2].split(',').flatMap((item) => /^([0-9]+)W?$/i.exec(item)?.[1] ?? []);
  const latest = Math.max(0, ...listed.map(Number));
  const lacking = months.filter((month) => latest > daysInMonth(2001, month));
  const having = months.length - months.filter((month) => latest > daysInMonth(2000, month)).length;
  const isCovered = days.lastDay && listed.length === 1;
  if (latest > 28 && lacking.length > 0 && !isCovered && !(latest === 29 && months.length === 1)) {
    yield {
      code: 'MonthsWithoutDay',
      message: `day ${latest} does not exist in ${lacking.map(monthName).join(', ')}${latest === 29 ? ' (except in leap years)' : ''}: ${having} of these ${months.length} months have it; for the last day of every month write 'L'`,
    };
  }
  const fifth = bitsOf(days.nthWeekdays[4] ?? 0, 0).filter((weekday) => !((days.lastWeekdays >> weekday) & 1));
  if (fifth.length > 0) {
    yield {
      code: 'MonthsWithoutDay',
      message: `a fifth ${fifth.map(weekdayName).join(', ')} exists in four or five months of a year only: for the last one of every month write '${fifth[0]}L'`,
    };
  }
}
