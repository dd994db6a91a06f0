import type { AppTable, Row } from '../app-table.ts';
import type { UsageRecord } from './usage-source.ts';

const HOUR_MS = 60 * 60 * 1000;

/** The whole hour before an instant. */
export function hourBefore(scheduledTime: Date): Date {
  return new Date((Math.floor(scheduledTime.getTime() / HOUR_MS) - 1) * HOUR_MS);
}

/** One row for the hour: sums, and the customer with the most requests. */
export function summarise(hour: Date, records: readonly UsageRecord[]): Row {
  const top = records.toSorted((a, b) => b.requests - a.requests || a.customer.localeCompare(b.customer))[0];
  return {
    pk: 'USAGE',
    sk: hour.toISOString(),
    customers: new Set(records.map(({ customer }) => customer)).size,
    requests: sum(records.map(({ requests }) => requests)),
    megabytes: sum(records.map(({ megabytes }) => megabytes)),
    top: top?.customer ?? 'nobody',
  };
}

/** The row's key is the hour, so that writing it twice changes nothing. */
export async function publish(table: AppTable, report: Row): Promise<void> {
  await table.put(report);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
