import type { Schedule } from '../../domain/schedule/schedule.ts';
import { isMeant } from '../../domain/translation/aws-schedule.ts';
import { parseAwsExpression } from '../../domain/translation/parse-aws-expression.ts';
import type { ScheduleResource } from '../assembly/resources.ts';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import { firingPayload } from './context-attributes.ts';
import { nextFiring, planFirings } from './plan-firings.ts';

export interface Firing {
  readonly schedule: ScheduleResource;
  readonly scheduledTime: number;
  readonly payload: string;
}

export interface ScheduleDriverOptions {
  readonly clock: VirtualClock;
  readonly fire: (firing: Firing) => void;
  /** Keeps a due firing from happening, as if EventBridge had lost it. */
  readonly suppress?: (schedule: ScheduleResource, scheduledTime: number) => boolean;
  /** A schedule fired for the last time and removed itself. */
  readonly onCompleted?: (schedule: ScheduleResource) => void;
}

interface Entry {
  readonly resource: ScheduleResource;
  readonly rule: Schedule;
  next: number | undefined;
}

/** Fires schedules on the clock, those of the template and those made at run time. What is past is not made up for. */
export class ScheduleDriver {
  readonly #options: ScheduleDriverOptions;
  readonly #entries = new Map<string, Entry>();
  #cancel = () => {};
  #from: number | undefined;

  constructor(options: ScheduleDriverOptions) {
    this.#options = options;
  }

  /** Adds a schedule, or replaces the one of that name. */
  set(resource: ScheduleResource): void {
    const { expression, timeZone, startAt } = resource;
    const rule = parseAwsExpression(expression, timeZone, startAt === undefined ? {} : { startAt });
    const after = this.#from === undefined ? undefined : this.#options.clock.now();
    const next = after === undefined ? undefined : nextFiring(resource, rule, after, true);
    this.#entries.set(keyOf(resource), { resource, rule, next });
    this.#arm();
  }

  get(group: string, name: string): ScheduleResource | undefined {
    return this.#entries.get(`${group}/${name}`)?.resource;
  }

  delete(group: string, name: string): boolean {
    const existed = this.#entries.delete(`${group}/${name}`);
    this.#arm();
    return existed;
  }

  list(): ScheduleResource[] {
    return [...this.#entries.values()].map(({ resource }) => resource);
  }

  /**
   * When one of the wanted schedules fires next so that its firing counts.
   * @param everyMsOf only firings at whole multiples of so many milliseconds count, all when it is undefined
   */
  nextOf(
    isWanted: (schedule: ScheduleResource) => boolean,
    everyMsOf: (schedule: ScheduleResource) => number | undefined = () => undefined,
  ): number | undefined {
    let earliest: number | undefined;
    for (const { resource, rule, next } of this.#entries.values()) {
      if (next === undefined || next >= (earliest ?? Number.POSITIVE_INFINITY) || !isWanted(resource)) continue;
      const everyMs = everyMsOf(resource);
      let counting: number | undefined = next;
      while (counting !== undefined && !isMeant(counting, everyMs)) counting = nextFiring(resource, rule, counting);
      if (counting !== undefined && counting < (earliest ?? Number.POSITIVE_INFINITY)) earliest = counting;
    }
    return earliest;
  }

  /** Plans from `from` (inclusive) on; the clock does the rest. */
  start(from: number): void {
    this.#from = from;
    for (const entry of this.#entries.values()) {
      // One that removes itself and is still there has not fired yet.
      entry.next = nextFiring(entry.resource, entry.rule, from - 1, entry.resource.deleteAfterCompletion);
    }
    this.#arm();
  }

  stop(): void {
    this.#from = undefined;
    this.#cancel();
  }

  #arm(): void {
    this.#cancel();
    if (this.#from === undefined) return;
    const planned = planFirings(this.#entries.values());
    if (planned !== undefined) this.#cancel = this.#options.clock.schedule(planned.at, () => this.#fireDue());
  }

  #fireDue(): void {
    const now = this.#options.clock.now();
    for (;;) {
      const planned = planFirings(this.#entries.values());
      if (planned === undefined || planned.at > now) break;
      for (const entry of planned.due) this.#fireOne(entry, planned.at);
    }
    this.#arm();
  }

  #fireOne(entry: Entry, scheduledTime: number): void {
    const { fire, suppress, onCompleted } = this.#options;
    entry.next = nextFiring(entry.resource, entry.rule, scheduledTime);
    if (suppress?.(entry.resource, scheduledTime) !== true) {
      fire({ schedule: entry.resource, scheduledTime, payload: firingPayload(entry.resource, scheduledTime) });
    }
    if (entry.next === undefined && entry.resource.deleteAfterCompletion) {
      this.#entries.delete(keyOf(entry.resource));
      onCompleted?.(entry.resource);
    }
  }
}

function keyOf(resource: ScheduleResource): string {
  return `${resource.group}/${resource.name}`;
}
