import { BelfryError } from '../errors.ts';
import { quote } from '../quote.ts';
import { MS_PER_DAY, MS_PER_MINUTE } from '../time/civil-date.ts';

const LONGEST_MS = 366 * MS_PER_DAY;
const DURATION = /^(?:([0-9]{1,3})d)?(?:([0-9]{1,5})h)?(?:([0-9]{1,6})m)?$/i;

/**
 * Reads the duration of `@every`: days, hours and minutes in this order, each at most once, whole numbers. A day is 24
 * hours of elapsed time.
 * @throws BelfryError `IllegalInterval`.
 */
export function parseEvery(duration: string): number {
  const match = DURATION.exec(duration);
  if (match === null || duration === '') {
    throw illegalInterval(
      duration,
      /^[0-9dhms]*[0-9]s$/i.test(duration)
        ? 'is not in whole minutes, which is as fine as it gets'
        : 'is not understood',
    );
  }
  const [, days = '0', hours = '0', minutes = '0'] = match;
  const intervalMs = Number(days) * MS_PER_DAY + Number(hours) * 60 * MS_PER_MINUTE + Number(minutes) * MS_PER_MINUTE;
  if (intervalMs === 0) {
    throw illegalInterval(duration, 'is no time at all');
  }
  if (intervalMs > LONGEST_MS) {
    throw illegalInterval(duration, 'is longer than 366 days');
  }
  return intervalMs;
}

/** The duration in its shortest spelling: `90m` is `1h30m`. */
export function formatEvery(intervalMs: number): string {
  const minutes = Math.round(intervalMs / MS_PER_MINUTE);
  const parts: [number, string][] = [
    [Math.floor(minutes / 1440), 'd'],
    [Math.floor((minutes % 1440) / 60), 'h'],
    [minutes % 60, 'm'],
  ];
  return parts.map(([count, unit]) => (count > 0 ? `${count}${unit}` : '')).join('');
}

function illegalInterval(duration: string, reason: string): BelfryError {
  return new BelfryError(
    'IllegalInterval',
    `interval ${quote(duration)} of '@every' ${reason}: allowed are whole days, hours and minutes from 1m to 366d, e.g. '@every 5m', '@every 2h30m', '@every 1d'`,
  );
}
