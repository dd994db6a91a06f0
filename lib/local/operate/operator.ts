import type { OccurrenceKey } from '../../domain/contract/occurrence-key.ts';
import { BelfryError } from '../../domain/errors.ts';
import type { OccurrenceEvent } from '../../domain/occurrence-event.ts';
import {
  alreadyBegun,
  type BackfillRange,
  type BackfillSplit,
  type OperatedJob,
  planBackfill,
  planPause,
  planResume,
  planSkip,
  planTrigger,
  splitBackfill,
} from '../../domain/operate/plan-operations.ts';
import type { OperatorRequest, OperatorStore } from '../../domain/operate/ports.ts';
import type { TurnRecord } from '../../domain/run/run-record.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import type { JobInvoker, RequestBook } from '../../domain/watch/ports.ts';

export interface OperatorParts {
  readonly store: OperatorStore;
  readonly invoker: JobInvoker;
  /** Where the watchdog finds what it is to look after until it has its outcome. */
  readonly requests: Pick<RequestBook, 'add'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface ScheduledTarget {
  readonly job: OperatedJob;
  readonly schedule: Schedule;
}

/**
 * What a person does to a job: the console and the commands act through it, on this machine and on AWS. Everything is
 * written down with who asked, why and when, before anything is started.
 */
export class Operator {
  readonly #parts: OperatorParts;

  constructor(parts: OperatorParts) {
    this.#parts = parts;
  }

  /**
   * Starts a run of its own.
   * @returns its scheduled time
   * @throws BelfryError `NoFreeInstant`
   */
  async trigger({ job, schedule }: ScheduledTarget, request: OperatorRequest): Promise<number> {
    const now = this.#parts.now();
    for (const scheduledTime of planTrigger(schedule, now)) {
      const key = { job: job.name, scheduledTime };
      if (!(await this.#parts.store.request(key, { ...request, trigger: 'manual' }, now))) continue;
      await this.#deliver({ ...key, trigger: 'manual', revision: job.revision }, now);
      return scheduledTime;
    }
    throw new BelfryError(
      'NoFreeInstant',
      `'${job.name}' is due, or was asked for, at each of the next seconds: try again in a minute`,
    );
  }

  async pause(target: ScheduledTarget, request: OperatorRequest): Promise<void> {
    const { store, now } = this.#parts;
    const { job } = target;
    const { by, note } = request;
    const at = now();
    const kept = planPause(job, note, await store.getTurn(job.name), at);
    if (await store.pause(job.name, { by, note: kept }, at)) return;
    // Somebody was faster: the plan says who.
    return this.pause(target, request);
  }

  /** @returns the pause that has ended */
  async resume(target: ScheduledTarget, request: OperatorRequest): Promise<TurnRecord> {
    const { store, now } = this.#parts;
    const { job } = target;
    const paused = await store.getTurn(job.name);
    planResume(job, paused);
    return (await store.resume(job.name, request, now())) ? paused : this.resume(target, request);
  }

  /** Records an occurrence that has not begun as skipped. */
  async skip({ job, schedule }: ScheduledTarget, scheduledTime: number, request: OperatorRequest): Promise<void> {
    const { store, now } = this.#parts;
    const key = { job: job.name, scheduledTime };
    const [run] = await store.getRuns([key]);
    planSkip(job, schedule, scheduledTime, run);
    if (await store.skip(key, request, now())) return;
    const [meanwhile] = await store.getRuns([key]);
    throw alreadyBegun(meanwhile ?? { ...key, status: 'running' });
  }

  /** Starts what was due in the range and has no outcome, the oldest first. Again after an error, it goes on. */
  async backfill(
    { job, schedule }: ScheduledTarget,
    range: BackfillRange,
    request: OperatorRequest,
  ): Promise<BackfillSplit> {
    const { store, now } = this.#parts;
    const at = now();
    const due = planBackfill(job, schedule, range, at);
    const keys = due.map((scheduledTime) => ({ job: job.name, scheduledTime }));
    const split = splitBackfill(due, await store.getRuns(keys));
    for (const scheduledTime of split.open) {
      const key = { job: job.name, scheduledTime };
      const isNew = await store.request(key, { ...request, trigger: 'backfill' }, at);
      await this.#deliver({ ...key, trigger: 'backfill', revision: job.revision }, isNew ? at : undefined);
    }
    return split;
  }

  /** Delivers an event once more, as it was: one that was given up. */
  async redeliver(event: OccurrenceEvent, request: OperatorRequest): Promise<void> {
    const at = this.#parts.now();
    const { job, scheduledTime, trigger } = event;
    const isNew = await this.#parts.store.request({ job, scheduledTime }, { ...request, trigger }, at);
    await this.#deliver(event, isNew ? at : undefined);
  }

  /** @param requestedAt when the record was made for this delivery: without the one the other goes */
  async #deliver(event: OccurrenceEvent, requestedAt: number | undefined): Promise<void> {
    const { store, invoker, requests, now } = this.#parts;
    const key: OccurrenceKey = { job: event.job, scheduledTime: event.scheduledTime };
    try {
      await requests.add(key, now());
      await invoker.deliver(event);
    } catch (error) {
      if (requestedAt !== undefined) await store.withdraw(key, requestedAt);
      throw error;
    }
  }
}
