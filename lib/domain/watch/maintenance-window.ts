import { parseSchedule } from '../schedule/parse-schedule.ts';

/** A time, over and over, in which people are not told. */
export interface QuietWindow {
  /** Unix five fields: when it begins, on the wall clock of the zone. */
  readonly begins: string;
  readonly timeZone: string;
  readonly lastsMs: number;
}

/** Whether any of the windows is open at an instant. The windows are read once. */
export function quietTimes(windows: readonly QuietWindow[]): (now: number) => boolean {
  const parsed = windows.map(({ begins, timeZone, lastsMs }) => ({
    schedule: parseSchedule(begins, { timeZone, dst: {} }),
    lastsMs,
  }));
  return (now) =>
    parsed.some(({ schedule, lastsMs }) => {
      const began = schedule.previous(now + 1);
      return began !== undefined && now < began + lastsMs;
    });
}
