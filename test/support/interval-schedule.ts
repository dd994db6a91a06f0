import type { Schedule } from '../../lib/domain/schedule/schedule.ts';

/** A schedule that needs no parser: every `intervalMs`, counted from the Unix epoch. */
export function intervalSchedule(intervalMs: number): Schedule {
  const next = (after: number) => (Math.floor(after / intervalMs) + 1) * intervalMs;
  return {
    expressions: [`every ${intervalMs} ms`],
    timeZone: 'UTC',
    next,
    previous: (before) => (Math.ceil(before / intervalMs) - 1) * intervalMs,
    *between(from, to) {
      for (let at = next(from); at <= to; at = next(at)) yield at;
    },
  };
}
