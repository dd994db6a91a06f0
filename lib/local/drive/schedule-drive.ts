import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { DeleteScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';
import { formatInstant } from '../../domain/time/instant.ts';
import { parseAwsExpression } from '../../domain/translation/parse-aws-expression.ts';
import type { ScheduleResource } from '../assembly/resources.ts';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import { nextFiring } from '../schedules/plan-firings.ts';
import { type Firing, ScheduleDriver } from '../schedules/schedule-driver.ts';
import type { DriveEvent, DrivenSchedule } from './drive-event.ts';
import { EndpointSchedules } from './endpoint-schedules.ts';
import { nameOf, planRefresh } from './plan-refresh.ts';

export interface ScheduleDriveOptions {
  readonly endpoint: string;
  readonly scheduler: SchedulerClient;
  readonly lambda: LambdaClient;
  readonly clock: VirtualClock;
  readonly emit: (event: DriveEvent) => void;
  /** Only schedules of this group. */
  readonly group?: string;
}

const LAMBDA_TARGET = /^arn:[\w-]+:lambda:[^:]*:\d*:function:(.+)$/;

/**
 * Fires the schedules that an endpoint holds and does not fire itself: in their own zones, with the context attributes
 * put in, by asynchronous invokes. What was due before it started is not made up for: that is the watchdog's work.
 */
export class ScheduleDrive {
  readonly #options: ScheduleDriveOptions;
  readonly #schedules: EndpointSchedules;
  readonly #driver: ScheduleDriver;
  readonly #inFlight = new Set<Promise<void>>();
  /** Everything that was read from the endpoint, also what cannot be driven. */
  #held: readonly ScheduleResource[] = [];
  #counts = { fired: 0, refused: 0 };
  #troubled = false;
  #isRefreshing = false;

  constructor(options: ScheduleDriveOptions) {
    this.#options = options;
    this.#schedules = new EndpointSchedules(options.scheduler, options.group);
    this.#driver = new ScheduleDriver({
      clock: options.clock,
      fire: (firing) => this.#track(this.#fire(firing)),
      onCompleted: (schedule) => this.#track(this.#remove(schedule)),
    });
  }

  /** Reads the schedules and plans from this moment on. Errors of the endpoint are thrown: nothing would happen. */
  async start(): Promise<void> {
    const held = await this.#schedules.list();
    for (const schedule of held) this.#set(schedule);
    this.#held = held;
    const now = this.#options.clock.now();
    this.#driver.start(now);
    this.#emit({
      type: 'watching',
      endpoint: this.#options.endpoint,
      schedules: this.#driver.list().map((schedule) => drivenSchedule(schedule, now)),
      at: this.#at(),
    });
  }

  /** Reads the schedules again. An endpoint that does not answer is told of once; what is known goes on. */
  async refresh(): Promise<void> {
    // An older list must not undo a newer one.
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    try {
      const held = await this.#schedules.list();
      const { changed, removed } = planRefresh(this.#held, held);
      for (const schedule of removed) this.#driver.delete(schedule.group, schedule.name);
      for (const schedule of changed) this.#set(schedule);
      this.#held = held;
      if (this.#troubled) this.#note('info', `${this.#options.endpoint} answers again`);
      this.#troubled = false;
    } catch (error) {
      if (!this.#troubled)
        this.#note('warn', `the schedules could not be read, those known go on: ${messageOf(error)}`);
      this.#troubled = true;
    } finally {
      this.#isRefreshing = false;
    }
  }

  /** Fires nothing more, and waits for the invokes in flight. */
  async stop(): Promise<void> {
    this.#driver.stop();
    await Promise.all(this.#inFlight);
    this.#emit({ type: 'stopped', ...this.#counts, at: this.#at() });
  }

  #set(schedule: ScheduleResource): void {
    const name = nameOf(schedule);
    if (!LAMBDA_TARGET.test(schedule.targetArn)) {
      this.#note('warn', `schedule ${name} is not driven: its target ${schedule.targetArn} is not a Lambda function`);
      return;
    }
    try {
      this.#driver.set(schedule);
    } catch (error) {
      this.#note('warn', `schedule ${name} is not driven: ${messageOf(error)}`);
      this.#driver.delete(schedule.group, schedule.name);
    }
  }

  async #fire({ schedule, scheduledTime, payload }: Firing): Promise<void> {
    const name = nameOf(schedule);
    const instant = formatInstant(scheduledTime);
    const functionName = LAMBDA_TARGET.exec(schedule.targetArn)?.[1] ?? schedule.targetArn;
    try {
      await this.#options.lambda.send(
        new InvokeCommand({ FunctionName: schedule.targetArn, InvocationType: 'Event', Payload: Buffer.from(payload) }),
      );
      this.#counts.fired++;
      const { next } = drivenSchedule(schedule, scheduledTime + 1);
      this.#emit({
        type: 'fired',
        schedule: name,
        function: functionName,
        scheduledTime: instant,
        next,
        at: this.#at(),
      });
    } catch (error) {
      this.#counts.refused++;
      this.#emit({ type: 'refused', schedule: name, scheduledTime: instant, reason: messageOf(error), at: this.#at() });
    }
  }

  /** A schedule that removes itself after it fired is still at an endpoint that does not fire. */
  async #remove({ group, name }: ScheduleResource): Promise<void> {
    try {
      await this.#options.scheduler.send(new DeleteScheduleCommand({ GroupName: group, Name: name }));
    } catch (error) {
      if (error instanceof Error && error.name === 'ResourceNotFoundException') return;
      this.#note('warn', `schedule ${group}/${name} fired and could not be removed: ${messageOf(error)}`);
    }
  }

  #track(work: Promise<void>): void {
    this.#inFlight.add(work);
    void work.finally(() => this.#inFlight.delete(work));
  }

  #note(level: 'info' | 'warn', text: string): void {
    this.#emit({ type: 'note', level, text });
  }

  #emit(event: DriveEvent): void {
    this.#options.emit(event);
  }

  #at(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}

function drivenSchedule(schedule: ScheduleResource, from: number): DrivenSchedule {
  const { expression, timeZone, startAt } = schedule;
  const rule = parseAwsExpression(expression, timeZone, startAt === undefined ? {} : { startAt });
  const next = nextFiring(schedule, rule, from - 1);
  return {
    schedule: nameOf(schedule),
    expression,
    timeZone,
    next: next === undefined ? undefined : formatInstant(next),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
