import { csvRows } from '../csv-rows.ts';

const HOUR_MS = 60 * 60 * 1000;

export interface UsageRecord {
  readonly customer: string;
  readonly requests: number;
  readonly megabytes: number;
}

/** The shipped usage records, behind a source that is not always there. */
export class UsageSource {
  /**
   * What customers used in the hour that began at `hour`. The same hours of the day come back every day.
   *
   * @param attempt which try this is, from 1
   * @throws Error on the first try of every sixth hour, and on the first two of one hour a day: never on the third
   */
  async read(hour: Date, attempt: number): Promise<UsageRecord[]> {
    const failures = failuresFor(hour);
    if (attempt <= failures) {
      throw new Error(
        `the usage source did not answer for ${hour.toISOString()} (try ${attempt} of ${failures} to fail)`,
      );
    }
    return csvRows<'customer' | 'hour_of_day' | 'requests' | 'megabytes'>(new URL('./usage.csv', import.meta.url))
      .filter((row) => Number(row.hour_of_day) === hour.getUTCHours())
      .map(({ customer, requests, megabytes }) => ({
        customer,
        requests: Number(requests),
        megabytes: Number(megabytes),
      }));
  }
}

/** How often the source fails for this hour before it answers: 0, 1 or 2. */
export function failuresFor(hour: Date): number {
  const index = Math.floor(hour.getTime() / HOUR_MS);
  if (index % 24 === 13) return 2;
  return index % 6 === 1 ? 1 : 0;
}
