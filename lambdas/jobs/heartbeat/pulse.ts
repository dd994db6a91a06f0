import type { AppTable } from '../app-table.ts';
import { csvRows } from '../csv-rows.ts';

const MINUTE_MS = 60_000;

export interface Component {
  readonly name: string;
  readonly everyMinutes: number;
}

/** The components that a pulse is written for, and how often. */
export function shippedComponents(): Component[] {
  return csvRows<'component' | 'every_minutes'>(new URL('./components.csv', import.meta.url)).map((row) => ({
    name: row.component,
    everyMinutes: Number(row.every_minutes),
  }));
}

/** Whose turn it is in this minute. */
export function dueComponents(components: readonly Component[], scheduledTime: Date): Component[] {
  const minute = Math.floor(scheduledTime.getTime() / MINUTE_MS);
  return components.filter(({ everyMinutes }) => minute % everyMinutes === 0);
}

/** Writes down that each of these was alive at this minute; writing it twice changes nothing. */
export async function recordPulse(table: AppTable, due: readonly Component[], scheduledTime: Date): Promise<void> {
  for (const { name } of due) {
    await table.put({ pk: 'PULSE', sk: name, beatAt: scheduledTime.toISOString() });
  }
}
