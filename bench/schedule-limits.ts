import { BelfryError, parseSchedule } from '../lib/schedule.ts';

const MALICE: readonly (readonly [string, string | readonly string[]])[] = [
  ['1 MB of one letter', 'a'.repeat(1_000_000)],
  ['1 MB of blanks', ' '.repeat(1_000_000)],
  ['1 MB of fields', '0 '.repeat(500_000)],
  ['10,000 list items', `${'1,'.repeat(9999)}1 * * * *`],
  ['10,000 expressions', Array<string>(10_000).fill('* * * * *')],
  ['unicode digits', '٣ ٤ * * *'],
  ['NUL', `0 0 * * *${String.fromCharCode(0)}`],
  ['0x10', '0x10 * * * *'],
  ['1e1', '1e1 * * * *'],
  ['@__proto__', '@__proto__'],
  ['0 0 30 2 *', '0 0 30 2 *'],
];

/** How long a refusal takes: the median and the longest of 51 tries. */
export function refusalTimes(): { what: string; code: string; medianMs: number; longestMs: number }[] {
  return MALICE.map(([what, expression]) => {
    let code = 'accepted';
    const taken: number[] = [];
    for (let round = 0; round < 51; round++) {
      const begin = nanosecondsNow();
      try {
        parseSchedule(expression, { timeZone: 'UTC' });
      } catch (error) {
        code = error instanceof BelfryError ? error.code : 'not refused properly';
      }
      taken.push((nanosecondsNow() - begin) / 1e6);
    }
    taken.sort((one, other) => one - other);
    return { what, code, medianMs: taken[25] ?? Number.NaN, longestMs: taken[50] ?? Number.NaN };
  });
}

/** Iterates a year of per-minute occurrences and watches the heap. */
export function memoryOfAYear(): { count: number; heapMb: number } {
  const schedule = parseSchedule('* * * * *', { timeZone: 'America/New_York' });
  const before = process.memoryUsage().heapUsed;
  let count = 0;
  let most = 0;
  for (const _ of schedule.between(Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1))) {
    count++;
    if (count % 10_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed - before);
  }
  return { count, heapMb: most / 1_000_000 };
}

export function nanosecondsNow(): number {
  return Number(process.hrtime.bigint());
}
