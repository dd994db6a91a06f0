import type { JobDefinition } from '../../domain/job.ts';
import { parseSchedule } from '../../domain/schedule/parse-schedule.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import { MS_PER_DAY, MS_PER_MINUTE } from '../../domain/time/civil-date.ts';
import { zoneNamed } from '../../domain/time/zone.ts';
import type { ConsoleClockChange, ConsoleState } from './console-state.ts';

/** Occurrences that are shown of all jobs together. */
const MOST_OCCURRENCES = 20_000;
const LOOKAHEAD_MS = 370 * MS_PER_DAY;

/** The jobs and what is to come: their occurrences of the next day, and the changes of their clocks. */
export class Outlook {
  readonly jobs: ReadonlyMap<string, JobDefinition>;
  readonly #schedules: ReadonlyMap<string, Schedule>;
  readonly #zones: readonly string[];
  readonly #mostOfOne: number;

  constructor(jobs: readonly JobDefinition[]) {
    this.jobs = new Map(jobs.map((job) => [job.name, job]));
    this.#schedules = new Map(
      jobs.map(({ name, schedule, timeZone, dst }) => [name, parseSchedule(schedule, { timeZone, dst })]),
    );
    this.#zones = [...new Set(jobs.map(({ timeZone }) => timeZone))].sort();
    this.#mostOfOne = Math.max(24, Math.floor(MOST_OCCURRENCES / Math.max(1, jobs.length)));
  }

  scheduleOf(job: string): Schedule | undefined {
    return this.#schedules.get(job);
  }

  upcoming(now: number): ConsoleState['upcoming'] {
    const upcoming: Record<string, number[]> = {};
    for (const [job, schedule] of this.#schedules) {
      const instants: number[] = [];
      for (const at of schedule.between(now, now + MS_PER_DAY)) {
        if (instants.length === this.#mostOfOne) break;
        instants.push(at);
      }
      upcoming[job] = instants;
    }
    return upcoming;
  }

  /** Those of the past day and the next. */
  changesAround(now: number): ConsoleClockChange[] {
    return this.#zones.flatMap((timeZone) => changesBetween(timeZone, now - MS_PER_DAY, now + MS_PER_DAY));
  }

  /** The next one of each zone that has any. */
  nextChanges(now: number): ConsoleClockChange[] {
    return this.#zones.flatMap((timeZone) => changesBetween(timeZone, now, now + LOOKAHEAD_MS).slice(0, 1));
  }
}

function changesBetween(timeZone: string, from: number, to: number): ConsoleClockChange[] {
  return [...zoneNamed(timeZone).transitionsBetween(from, to)].map(({ at, offsetBefore, offsetAfter }) => ({
    timeZone,
    at,
    shiftMinutes: (offsetAfter - offsetBefore) / MS_PER_MINUTE,
  }));
}
