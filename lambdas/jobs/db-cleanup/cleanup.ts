import type { AppTable } from '../app-table.ts';
import { csvRows } from '../csv-rows.ts';

const HOUR_MS = 60 * 60 * 1000;
const REPORTS_KEPT_MS = 30 * 24 * HOUR_MS;

/** Rows below these sort keys have expired: both partitions are ordered by an instant. */
export function expiryLimits(now: Date): { readonly pk: string; readonly before: string }[] {
  return [
    { pk: 'SESSION', before: now.toISOString() },
    { pk: 'USAGE', before: new Date(now.getTime() - REPORTS_KEPT_MS).toISOString() },
  ];
}

/** Puts the shipped sessions into the table when it has none, expiring around `now`. */
export async function seedSessions(table: AppTable, now: Date): Promise<number> {
  if ((await table.rows('SESSION')).length > 0) return 0;
  const shipped = csvRows<'session' | 'customer' | 'expires_in_hours'>(new URL('./sessions.csv', import.meta.url));
  for (const { session, customer, expires_in_hours } of shipped) {
    const expiresAt = new Date(now.getTime() + Number(expires_in_hours) * HOUR_MS).toISOString();
    await table.putIfAbsent({ pk: 'SESSION', sk: `${expiresAt}#${session}`, customer });
  }
  return shipped.length;
}

/** Removes what had expired at `now`; removing it twice changes nothing. Answers how many rows went. */
export async function removeExpired(table: AppTable, now: Date): Promise<number> {
  let removed = 0;
  for (const { pk, before } of expiryLimits(now)) {
    for (const row of await table.rows(pk, before)) {
      await table.delete(row);
      removed += 1;
    }
  }
  return removed;
}
