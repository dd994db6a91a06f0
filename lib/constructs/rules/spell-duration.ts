export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** Milliseconds in the largest unit that needs no fraction: `90 seconds`, `1 hour`. */
export function spellDuration(ms: number): string {
  if (ms % HOUR === 0 && ms > 0) return plural(ms / HOUR, 'hour');
  if (ms % MINUTE === 0 && ms > 0) return plural(ms / MINUTE, 'minute');
  return plural(ms / SECOND, 'second');
}

function plural(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
