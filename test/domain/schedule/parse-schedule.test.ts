import { describe, expect, test } from 'vitest';
import { parseSchedule } from '../../../lib/domain/schedule/parse-schedule.ts';

const FROM = Date.UTC(2026, 0, 1);

function canonical(expression: string | string[]): string {
  return parseSchedule(expression, { timeZone: 'UTC' }).expressions.join(' | ');
}

function first(expression: string, count: number, timeZone = 'UTC', from = FROM): string[] {
  const schedule = parseSchedule(expression, { timeZone });
  const found: string[] = [];
  for (const instant of schedule.between(from, Date.UTC(2199, 0, 1))) {
    found.push(new Date(instant).toISOString().slice(0, 16));
    if (found.length === count) break;
  }
  return found;
}

describe('canonical form: one spelling for all that mean the same', () => {
  test.each([
    ['00 07 * * *', '0 7 * * *'],
    ['  0\t0  * * * ', '0 0 * * *'],
    ['0 0 ? * ?', '0 0 * * *'],
    ['0 0 * * MON-FRI', '0 0 * * 1-5'],
    ['0 0 * * 5-7', '0 0 * * 0,5,6'],
    ['0 0 * * 7', '0 0 * * 0'],
    ['0 0 1 jan,Mar *', '0 0 1 1,3 *'],
    ['0,15,30,45 * * * *', '*/15 * * * *'],
    ['30,10,20 * * * *', '10,20,30 * * * *'],
    ['0-59 * * * *', '* * * * *'],
    ['*/1 */1 * * *', '* * * * *'],
    ['0 */90 * * *', '0 */90 * * *'],
    ['0 0-23 * * *', '0 0-23 * * *'],
    ['0 *,5 * * *', '0 * * * *'],
    ['0 */6,7 * * *', '0 */6,7 * * *'],
    ['0 7,*/6 * * *', '0 0/6,7 * * *'],
    ['0 0 1-31 * 1', '0 0 1-31 * 1'],
    ['0 0 13 * 0-6', '0 0 13 * 0-6'],
    ['0 0 l,15w,1 * *', '0 0 1,15W,L * *'],
    ['0 0 * * fri#3,MONL', '0 0 * * 5#3,1L'],
    ['@Annually', '0 0 1 1 *'],
    ['@midnight', '0 0 * * *'],
    ['@every 90M', '@every 1h30m'],
    ['@EVERY  24h', '@every 1d'],
    ['@Reboot', '@reboot'],
    ['cron(0 0 ? * MON *)', 'cron(0 0 ? * MON *)'],
    ['rate(5 minutes)', 'rate(5 minutes)'],
    ['at(2027-01-01T00:00:00)', 'at(2027-01-01T00:00:00)'],
  ])('%j is %j', (given, wanted) => {
    expect(canonical(given)).toBe(wanted);
    expect(canonical(wanted)).toBe(wanted);
  });
});

describe('what cron-parser lacks or gets wrong', () => {
  test.each([
    ['0 0 * * 0,7', ['2026-01-04T00:00', '2026-01-11T00:00']],
    ['0-10,5-15 3 * * *', ['2026-01-01T03:00', '2026-01-01T03:01']],
    ['@midnight', ['2026-01-02T00:00', '2026-01-03T00:00']],
    ['0 9 15W * *', ['2026-01-15T09:00', '2026-02-16T09:00']],
    ['0 9 LW * *', ['2026-01-30T09:00', '2026-02-27T09:00']],
    ['0 0 L-3 4,5 *', ['2026-04-27T00:00', '2026-05-28T00:00']],
    ['0 0 * * 1#1,5#3', ['2026-01-05T00:00', '2026-01-16T00:00']],
    ['0 0 1 * 5L', ['2026-01-30T00:00', '2026-02-01T00:00']],
  ])('%s', (expression, wanted) => {
    expect(first(expression, 2)).toEqual(wanted);
  });

  test('a hashed value is refused: it would be another one at every reading', () => {
    expect(() => canonical('H * * * *')).toThrow("minute field 'H': 'H' (a hashed value)");
  });
});

describe('refusals say what to change', () => {
  test.each([
    ['0 22-2 * * *', "write it as two ranges, '22-23,0-2'"],
    ['0 0 * * FRI-MON', "write it as two ranges, '5-6,0-1'"],
    ['0 0 * * FRI-SUN', "write it as two ranges, '5-6,0'"],
    ['0 0 1 NOV-FEB *', "write it as two ranges, '11-12,1-2'"],
    ['50-10/5 * * * *', "write it as two ranges, '50-59,0-10' (and spell out the step)"],
    ['0 0 * * MONDAY', 'write MON'],
    ['0 0 * * FRU', 'did you mean FRI'],
    ['0 0 0 * *', 'allowed are 1 to 31'],
    ['*/120 * * * *', "for a longer interval use '@every', e.g. '@every 2h'"],
    ['0 0 L-3 * *', 'name the other months in the month field (1,3-12)'],
    ['0 0 * * L', "'L' needs its weekday, e.g. '5L'"],
    ['0 0 * * 5#6', '#1 to #5'],
    ['0 8 * * * *', 'there is no seconds field'],
    ['0 0 * * ? *', 'which is written cron(0 0 * * ? *)'],
    ['TZ=Europe/Berlin 0 8 * * *', 'as timeZone'],
    ['@dayly', "did you mean '@daily'"],
    ['@every 30s', 'is not in whole minutes'],
    ['@every 400d', 'is longer than 366 days'],
    ['CRON(0 0 * * ? *)', 'lower case'],
    ['cron(0 0 LW * ? *)', "give it as a unix expression, '0 9 LW * *'"],
  ])('%s: %s', (expression, advice) => {
    expect(() => canonical(expression)).toThrow(advice);
  });

  test('one bad expression spoils the list', () => {
    expect(() => canonical(['0 9 * * *', '61 * * * *'])).toThrow("minute field '61': 61 is out of range");
  });

  test.each([
    [{ timeZone: 'Europe/Berln' }, "did you mean 'Europe/Berlin'"],
    [{ timeZone: 'New_York' }, "did you mean 'America/New_York'"],
    [{ timeZone: 'UTC', dst: { gap: 'jump' } }, "dst.gap 'jump' is not a policy: allowed are 'skip' and 'runAfter'"],
    [{ timeZone: 'UTC', dst: { fold: 'last' } }, "dst.fold 'last' is not a policy: allowed are 'first', 'second'"],
    [{ timeZone: 'UTC', anchor: Number.NaN }, 'anchor NaN is not an instant'],
    [{}, 'time zone is missing'],
    [undefined, 'time zone is missing'],
  ])('options %j: %s', (options, message) => {
    const given = options as unknown as Parameters<typeof parseSchedule>[1];
    expect(() => parseSchedule('0 0 * * *', given)).toThrow(message);
  });
});

describe('forms that are no five fields', () => {
  test('@every counts from its anchor, the first time one interval later; without one from the epoch', () => {
    const anchor = Date.UTC(2026, 0, 1, 0, 0, 30);
    const anchored = parseSchedule('@every 7h', { timeZone: 'UTC', anchor });
    expect(anchored.next(anchor)).toBe(anchor + 7 * 3_600_000);
    expect(anchored.next(0)).toBe(anchor + 7 * 3_600_000);
    expect(anchored.previous(anchor + 7 * 3_600_000)).toBeUndefined();
    expect(anchored.previous(anchor + 15 * 3_600_000)).toBe(anchor + 14 * 3_600_000);
    expect(parseSchedule('@every 1h', { timeZone: 'UTC' }).next(FROM)).toBe(FROM + 3_600_000);
  });

  test('@reboot is due at the deployment, if that is known, and never else', () => {
    expect(parseSchedule('@reboot', { timeZone: 'UTC' }).next(0)).toBeUndefined();
    const deployed = parseSchedule('@reboot', { timeZone: 'UTC', anchor: FROM });
    expect(deployed.next(FROM - 1)).toBe(FROM);
    expect(deployed.next(FROM)).toBeUndefined();
    expect(deployed.previous(FROM + 1)).toBe(FROM);
  });

  test('at() is a wall time of the zone, and the policies hold for it', () => {
    const at = (text: string, dst = {}) => parseSchedule(text, { timeZone: 'America/New_York', dst }).next(FROM);
    expect(at('at(2026-07-01T08:00:00)')).toBe(Date.UTC(2026, 6, 1, 12));
    expect(at('at(2026-11-01T01:30:00)')).toBe(Date.UTC(2026, 10, 1, 5, 30));
    expect(at('at(2026-11-01T01:30:00)', { fold: 'second' })).toBe(Date.UTC(2026, 10, 1, 6, 30));
    expect(at('at(2026-03-08T02:30:00)', { gap: 'runAfter' })).toBe(Date.UTC(2026, 2, 8, 7));
    expect(() => at('at(2026-03-08T02:30:00)')).toThrow('can never fire: the clock of America/New_York jumps over');
  });

  test('cron() counts Sunday as 1 and knows years', () => {
    expect(first('cron(0 12 ? * 1 *)', 1)).toEqual(['2026-01-04T12:00']);
    expect(first('cron(0 12 ? * 6L 2027)', 2)).toEqual(['2027-01-29T12:00', '2027-02-26T12:00']);
    expect(() => canonical('cron(0 0 29 2 ? 2027)')).toThrow('can never fire');
  });

  test('an expression given twice is due once', () => {
    expect(parseSchedule(['0 9 * * *', '0 9 * * *'], { timeZone: 'UTC' }).next(FROM)).toBe(FROM + 9 * 3_600_000);
  });
});
