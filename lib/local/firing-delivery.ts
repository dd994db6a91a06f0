import { formatInstant } from '../domain/time/instant.ts';
import { isMeant } from '../domain/translation/aws-schedule.ts';
import type { MetricDatum } from './alarms/embedded-metrics.ts';
import type { ScheduleResource } from './assembly/resources.ts';
import type { VirtualClock } from './clock/virtual-clock.ts';
import type { FaultDice } from './faults/fault-dice.ts';
import { planDelivery } from './faults/plan-delivery.ts';
import type { FunctionFleet } from './function-fleet.ts';
import type { LocalEvent } from './local-event.ts';
import type { LocalQueues } from './queues/local-queues.ts';
import type { Firing } from './schedules/schedule-driver.ts';

export interface FiringDeliveryOptions {
  readonly clock: VirtualClock;
  readonly fleet: FunctionFleet;
  readonly queues: LocalQueues;
  readonly dice: FaultDice | undefined;
  readonly addMetric: (datum: MetricDatum) => void;
  readonly emit: (event: LocalEvent) => void;
  /** ISO text of when the job is fired for next. */
  readonly nextOf: (job: string) => string | undefined;
}

/** Brings firings to their targets, as EventBridge Scheduler does: accepted by Lambda means delivered. */
export class FiringDelivery {
  readonly #options: FiringDeliveryOptions;

  constructor(options: FiringDeliveryOptions) {
    this.#options = options;
  }

  /** Delivers, or does what the faults want: not at all, late, or more than once. */
  fire(firing: Firing): void {
    const { clock, dice, emit } = this.#options;
    if (dice === undefined) {
      this.#deliver(firing);
      return;
    }
    const scheduledTime = formatInstant(firing.scheduledTime);
    const { delays, struck } = planDelivery(dice, `${firing.schedule.name} ${scheduledTime}`);
    const when = delays.map((delay) => `${delay} ms`).join(' and ');
    for (const kind of struck) {
      const how = kind === 'drop' ? 'is lost' : `comes after ${when}`;
      const text = `fault ${kind}: the firing of ${firing.schedule.name} for ${scheduledTime} ${how}`;
      emit({ type: 'note', level: 'warn', text });
    }
    for (const delay of delays) {
      if (delay === 0) this.#deliver(firing);
      else clock.schedule(clock.now() + delay, () => this.#deliver(firing));
    }
  }

  #deliver(firing: Firing): void {
    const { clock, fleet, emit, nextOf } = this.#options;
    const { schedule, scheduledTime, payload } = firing;
    const at = clock.now();
    this.#count('InvocationAttemptCount', schedule, at);
    const target = fleet.byArn(schedule.targetArn);
    if (target === undefined) {
      this.#refuse(firing, at);
      return;
    }
    fleet.invoker.accept(target, payload);
    const event = readEvent(payload);
    const job = String(event.job);
    const instant = formatInstant(scheduledTime);
    // A schedule that wakes an earlier run up is no new occurrence.
    if (event.scheduledTime !== instant || !target.resource.jobs.some(({ name }) => name === job)) return;
    // The function lets it go by.
    if (!isMeant(scheduledTime, everyMsOf(schedule))) return;
    emit({
      type: 'fired',
      job,
      scheduledTime: instant,
      at: formatInstant(at),
      next: nextOf(job),
    });
  }

  /** The target does not exist: the scheduler gives the event up. */
  #refuse({ schedule, scheduledTime, payload }: Firing, at: number): void {
    const { queues, emit } = this.#options;
    this.#count('TargetErrorCount', schedule, at);
    this.#count('InvocationDroppedCount', schedule, at);
    const text = `schedule ${schedule.name} is due, and its target ${schedule.targetArn} is not run locally`;
    emit({ type: 'note', level: 'warn', text });
    if (schedule.deadLetterArn === undefined) return;
    queues.sendTo(schedule.deadLetterArn, payload, {
      ERROR_CODE: 'ResourceNotFoundException',
      ERROR_MESSAGE: `Function not found: ${schedule.targetArn}`,
      SCHEDULE_ARN: schedule.arn,
      SCHEDULED_TIME: formatInstant(scheduledTime),
      TARGET_ARN: schedule.targetArn,
      RETRY_ATTEMPTS: '0',
    });
  }

  #count(name: string, schedule: ScheduleResource, at: number): void {
    for (const dimensions of [{ ScheduleGroup: schedule.group }, {}]) {
      this.#options.addMetric({ namespace: 'AWS/Scheduler', name, dimensions, value: 1, at });
    }
  }
}

/** Whether the schedule is one of those that make the job due: one that removes itself wakes a run up that is there. */
export function isOfJob(schedule: ScheduleResource, job: string): boolean {
  return schedule.input?.includes(job) === true && jobOf(schedule) === job;
}

/** The job that the schedule makes due, if it makes one due. */
export function jobOf({ input = '', deleteAfterCompletion }: ScheduleResource): string | undefined {
  const { job } = deleteAfterCompletion ? {} : readEvent(input);
  return typeof job === 'string' ? job : undefined;
}

/** The schedule fires more often than its job is due: which of its firings count. */
export function everyMsOf({ input = '' }: ScheduleResource): number | undefined {
  const { everyMs } = readEvent(input);
  return typeof everyMs === 'number' && everyMs > 0 ? everyMs : undefined;
}

interface ReadEvent {
  readonly job?: unknown;
  readonly scheduledTime?: unknown;
  readonly everyMs?: unknown;
}

function readEvent(payload: string): ReadEvent {
  try {
    return (JSON.parse(payload) ?? {}) as object;
  } catch {
    return {};
  }
}
