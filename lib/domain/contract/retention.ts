const DAY_MS = 86_400_000;

/** How long a run's record is kept, milliseconds: three times as long as an event may be late. */
export const RETENTION_MS = 90 * DAY_MS;
/** How long a request of a person waits for a watchdog. */
export const REQUEST_RETENTION_MS = 31 * DAY_MS;
