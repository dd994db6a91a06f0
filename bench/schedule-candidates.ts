import { CronExpressionParser } from 'cron-parser';
import { parseCronExpression } from 'cron-schedule';
import { Cron } from 'croner';
import { parseSchedule } from '../lib/schedule.ts';

/** Twenty expressions of the usual kind, from every minute to the leap day. */
export const EXPRESSIONS = [
  '* * * * *',
  '*/5 * * * *',
  '*/15 * * * *',
  '0 * * * *',
  '30 * * * *',
  '0 */2 * * *',
  '0 0 * * *',
  '30 2 * * *',
  '0 9 * * 1-5',
  '*/10 9-17 * * 1-5',
  '0 8 * * 1',
  '0 0 * * 0',
  '0 0 1 * *',
  '0 12 15 * *',
  '0 0 1 */3 *',
  '0 0 1 1 *',
  '0 0 1,15 * *',
  '0 6 * 6-8 *',
  '0 0 13 * 5',
  '0 0 29 2 *',
];
export const ZONES = ['UTC', 'America/New_York'];
export const START = Date.UTC(2026, 0, 1);
// Before 2096, after which cron-schedule finds no further leap day.
const END = Date.UTC(2090, 0, 1);

/** One library. */
export interface Candidate {
  readonly name: string;
  /** Reads the expression and finds its first occurrence. */
  first(expression: string, after: number): void;
  /** Steps from occurrence to occurrence, one per call. */
  chain(expression: string, after: number): () => void;
}

export function candidates(timeZone: string): Candidate[] {
  return [belfry(timeZone), croner(timeZone), cronParser(timeZone), cronSchedule()];
}

function belfry(timeZone: string): Candidate {
  return {
    name: 'belfry',
    first: (expression, after) => parseSchedule(expression, { timeZone }).next(after),
    chain(expression, after) {
      const schedule = parseSchedule(expression, { timeZone });
      let at = after;
      return () => {
        at = schedule.next(at) ?? after;
        if (at > END) at = after;
      };
    },
  };
}

function croner(timeZone: string): Candidate {
  return {
    name: 'croner',
    first: (expression, after) => new Cron(expression, { timezone: timeZone }).nextRun(new Date(after)),
    chain(expression, after) {
      const cron = new Cron(expression, { timezone: timeZone });
      let at = new Date(after);
      return () => {
        at = cron.nextRun(at) ?? new Date(after);
        if (at.getTime() > END) at = new Date(after);
      };
    },
  };
}

function cronParser(timeZone: string): Candidate {
  const parse = (expression: string, after: number) =>
    CronExpressionParser.parse(expression, { tz: timeZone, currentDate: new Date(after) });
  return {
    name: 'cron-parser',
    first: (expression, after) => parse(expression, after).next(),
    chain(expression, after) {
      let cron = parse(expression, after);
      return () => {
        if (cron.next().getTime() > END) cron = parse(expression, after);
      };
    },
  };
}

/** Knows no zones: it answers on the clock of the process, so it does less. */
function cronSchedule(): Candidate {
  return {
    name: 'cron-schedule',
    first: (expression, after) => parseCronExpression(expression).getNextDate(new Date(after)),
    chain(expression, after) {
      const cron = parseCronExpression(expression);
      let at = new Date(after);
      return () => {
        at = cron.getNextDate(at);
        if (at.getTime() > END) at = new Date(after);
      };
    },
  };
}
