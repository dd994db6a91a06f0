import type { CronRule } from '../cron/cron-rule.ts';
import { parseUnixCron, tooLong, type UnixCron } from '../cron/parse-unix-cron.ts';
import { BelfryError } from '../errors.ts';
import type { FoldPolicy, GapPolicy } from '../job.ts';
import { quote } from '../quote.ts';
import { closestTo } from '../time/closest.ts';
import { instantsOfWall } from '../time/wall-time.ts';
import { type Zone, zoneNamed } from '../time/zone.ts';
import { looksLikeAws, parseAwsText } from '../translation/aws-grammar.ts';
import { CronTimetable } from './cron-timetable.ts';
import { InstantTimetable } from './instant-timetable.ts';
import { IntervalTimetable } from './interval-timetable.ts';
import { formatEvery, parseEvery } from './parse-every.ts';
import { CronEntry, ParsedSchedule, type ScheduleEntry } from './parsed-schedule.ts';
import type { Schedule, ScheduleOptions } from './schedule.ts';

const LONGEST_EXPRESSION = 1000;
const MOST_EXPRESSIONS = 100;
const MACROS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);
const MACRO_NAMES = [...MACROS.keys(), '@every', '@reboot'];

interface Setting {
  readonly zone: Zone;
  readonly gap: GapPolicy;
  readonly fold: FoldPolicy | undefined;
  readonly anchor: number | undefined;
}

/**
 * Reads a schedule: a unix expression of five fields, a macro, `@every`, `@reboot`, `cron()`, `rate()` or `at()`, or a
 * list of these, whose union is meant. Defaults: a wall time in a gap is skipped; one in a fold counts once, at its
 * first pass, unless the hour field starts with `*`, which is an interval and counts both passes.
 * @throws BelfryError naming the field, the value, what is allowed and what to change: `EmptySchedule`,
 * `ExpressionTooLong`, `TooManyExpressions`, `IllegalExpression`, `IllegalCharacter`, `WrongFieldCount`, `IllegalField`,
 * `WrapAroundRange`, `NeverFires`, `UnknownMacro`, `IllegalInterval`, `IllegalAwsExpression`, `UnknownTimeZone`,
 * `IllegalOption`.
 */
export function parseSchedule(expression: string | readonly string[], options: ScheduleOptions): Schedule {
  const setting = settingOf(options);
  return new ParsedSchedule(
    expressionsOf(expression).map((text) => parseEntry(text, setting)),
    setting.zone,
    setting.gap,
    setting.fold,
    options.timeZone,
  );
}

function settingOf(options: ScheduleOptions): Setting {
  const { timeZone, dst = {}, anchor } = options ?? {};
  if (timeZone === undefined) {
    throw new BelfryError('UnknownTimeZone', `time zone is missing: give an IANA name like 'Europe/Berlin', or 'UTC'`);
  }
  const { gap = 'skip', fold } = dst;
  if (gap !== 'skip' && gap !== 'runAfter') {
    throw new BelfryError('IllegalOption', `dst.gap ${quote(gap)} is not a policy: allowed are 'skip' and 'runAfter'`);
  }
  if (fold !== undefined && fold !== 'first' && fold !== 'second' && fold !== 'both') {
    throw new BelfryError(
      'IllegalOption',
      `dst.fold ${quote(fold)} is not a policy: allowed are 'first', 'second' and 'both'`,
    );
  }
  if (anchor !== undefined && !Number.isFinite(anchor)) {
    throw new BelfryError('IllegalOption', `anchor ${String(anchor)} is not an instant: give epoch milliseconds`);
  }
  return { zone: zoneNamed(timeZone), gap, fold, anchor };
}

function expressionsOf(expression: string | readonly string[]): readonly string[] {
  if (!Array.isArray(expression)) {
    return [textOf(expression)];
  }
  if (expression.length === 0) {
    throw new BelfryError('EmptySchedule', `the list of expressions is empty: give at least one, e.g. ['0 8 * * 1-5']`);
  }
  if (expression.length > MOST_EXPRESSIONS) {
    throw new BelfryError(
      'TooManyExpressions',
      `the list has ${expression.length} expressions: allowed are ${MOST_EXPRESSIONS}; merge those that differ in one field only`,
    );
  }
  return expression.map(textOf);
}

function textOf(expression: unknown): string {
  if (typeof expression !== 'string') {
    throw new BelfryError(
      'IllegalExpression',
      `schedule ${quote(expression)} is not a text: give an expression like '0 8 * * 1-5', or a list of them`,
    );
  }
  if (expression.length > LONGEST_EXPRESSION) {
    throw tooLong(expression, LONGEST_EXPRESSION);
  }
  return expression;
}

function parseEntry(source: string, setting: Setting): ScheduleEntry {
  if (/^[0-9*]/.test(source)) {
    return cronEntry(source, parseUnixCron(source), setting);
  }
  if (looksLikeAws(source)) {
    return parseAwsEntry(source, setting);
  }
  const trimmed = source.replace(/^[ \t]+/, '').replace(/[ \t]+$/, '');
  if (trimmed.startsWith('@')) {
    return parseMacro(source, trimmed, setting);
  }
  return cronEntry(source, parseUnixCron(source), setting);
}

function cronEntry(source: string, unix: UnixCron, setting: Setting): ScheduleEntry {
  return new CronEntry(source, cronTimetable(unix.rule, setting), unix);
}

function cronTimetable(rule: CronRule, { zone, gap, fold }: Setting): CronTimetable {
  return new CronTimetable(rule, zone, gap, fold ?? (rule.isInterval ? 'both' : 'first'));
}

function parseMacro(source: string, text: string, setting: Setting): ScheduleEntry {
  const name = text.toLowerCase();
  const expanded = MACROS.get(name);
  if (expanded !== undefined) {
    return cronEntry(source, parseUnixCron(expanded), setting);
  }
  if (name === '@reboot') {
    const instants = setting.anchor === undefined ? [] : [setting.anchor];
    return { kind: 'reboot', source, canonical: name, timetable: new InstantTimetable(instants) };
  }
  const every = /^@every(?:[ \t]+(.*))?$/.exec(name);
  if (every !== null) {
    const intervalMs = parseEvery(every[1] ?? '');
    return everyEntry(source, `@every ${formatEvery(intervalMs)}`, intervalMs, setting);
  }
  const close = closestTo(name, MACRO_NAMES, (macro) => macro);
  throw new BelfryError(
    'UnknownMacro',
    `macro ${quote(text)} is not known${close.length > 0 ? `, did you mean '${close[0]}'?` : ''}: allowed are ${MACRO_NAMES.join(', ')}, alone`,
  );
}

function everyEntry(source: string, canonical: string, intervalMs: number, { anchor }: Setting): ScheduleEntry {
  const timetable = new IntervalTimetable((anchor ?? 0) + intervalMs, intervalMs);
  return { kind: 'every', source, canonical, timetable, isAnchored: anchor !== undefined };
}

function parseAwsEntry(source: string, setting: Setting): ScheduleEntry {
  const expression = parseAwsText(source);
  if (expression.kind === 'rate') {
    return everyEntry(source, expression.canonical, expression.intervalMs, setting);
  }
  if (expression.kind === 'cron') {
    return new CronEntry(source, cronTimetable(expression.rule, setting));
  }
  const instants = instantsOfWall(setting.zone, expression.wallMs, setting.gap, setting.fold ?? 'first');
  if (instants.length === 0) {
    throw new BelfryError(
      'NeverFires',
      `expression ${quote(source)} can never fire: the clock of ${setting.zone.name} jumps over that time; choose another, or dst.gap 'runAfter'`,
    );
  }
  const { canonical, wallMs } = expression;
  return { kind: 'at', source, canonical, timetable: new InstantTimetable(instants), wallMs };
}
