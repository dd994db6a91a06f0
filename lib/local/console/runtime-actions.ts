import type { DynamoDbRunStore } from '../../adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { BelfryError } from '../../domain/errors.ts';
import type { JobDefinition, Trigger } from '../../domain/job.ts';
import type { RunKey, RunRecord } from '../../domain/run/run-record.ts';
import { isFinished } from '../../domain/run/run-record.ts';
import { formatInstant } from '../../domain/time/instant.ts';
import type { RuntimeInside } from '../runtime-inside.ts';
import type { ConsoleActions } from './console-source.ts';
import type { Outlook } from './outlook.ts';
import type { StoredRuns } from './stored-runs.ts';

const BY = 'console';
const MOST_BACKFILLED = 500;

export interface RuntimeActionsParts {
  readonly inside: RuntimeInside;
  /** As the app declares it now. */
  readonly outlook: () => Outlook;
  readonly store: DynamoDbRunStore;
  readonly stored: StoredRuns;
  /** Called for each run that was, or will be, changed. */
  readonly onRun: (key: RunKey) => void;
  readonly onPause: () => void;
}

/** Operates the jobs of a local runtime as `belfry trigger` and its kin operate deployed ones. */
export class RuntimeActions implements ConsoleActions {
  readonly #parts: RuntimeActionsParts;

  constructor(parts: RuntimeActionsParts) {
    this.#parts = parts;
  }

  async trigger(name: string): Promise<number> {
    const job = this.#job(name);
    const { store } = this.#parts;
    let scheduledTime = Math.floor(this.#now / 1_000) * 1_000;
    // A run of its own: one that was due, or asked for, at this second is another.
    while ((await store.getRun({ job: name, scheduledTime })) !== undefined) scheduledTime += 1_000;
    this.#deliver(job, scheduledTime, 'manual');
    return scheduledTime;
  }

  async pause(name: string, note: string): Promise<void> {
    this.#job(name);
    await this.#parts.store.pause(name, { by: BY, note }, this.#now);
    this.#parts.onPause();
  }

  async resume(name: string): Promise<void> {
    this.#job(name);
    await this.#parts.stored.resume(name, this.#now);
    this.#parts.onPause();
  }

  async skip(name: string, scheduledTime: number): Promise<void> {
    const key = { job: this.#job(name).name, scheduledTime };
    const skip = { cause: `requested by ${BY}`, trigger: 'schedule', evenIfQueued: true } as const;
    const skipped = await this.#parts.store.skip(key, skip, this.#now);
    this.#parts.onRun(key);
    if (!skipped) {
      throw new BelfryError(
        'AlreadyBegun',
        `${name} ${formatInstant(scheduledTime)} has begun or has its outcome already: only what has not begun can be skipped`,
      );
    }
  }

  async backfill(name: string, from: number, to: number): Promise<number> {
    const job = this.#job(name);
    if (from >= to)
      throw new BelfryError('EmptyRange', 'nothing lies between: give an end that is after the beginning');
    if (to > this.#now) {
      throw new BelfryError('RangeInFuture', `${formatInstant(to)} is to come: a backfill ends at the latest now`);
    }
    const due: number[] = [];
    for (const at of this.#parts.outlook().scheduleOf(name)?.between(from, to) ?? []) {
      if (due.length === MOST_BACKFILLED) {
        throw new BelfryError(
          'TooManyOccurrences',
          `more than ${MOST_BACKFILLED} occurrences of ${name} lie in this range: backfill it in parts`,
        );
      }
      due.push(at);
    }
    const open = await this.#withoutOutcome(name, due);
    for (const at of open) this.#deliver(job, at, 'backfill');
    return open.length;
  }

  /** A missed or skipped occurrence has its outcome: the ledger is not rewritten. */
  async #withoutOutcome(job: string, due: readonly number[]): Promise<number[]> {
    const runs: readonly RunRecord[] = await this.#parts.store.getRuns(
      due.map((scheduledTime) => ({ job, scheduledTime })),
    );
    const done = new Set(runs.filter(isFinished).map(({ scheduledTime }) => scheduledTime));
    return due.filter((at) => !done.has(at));
  }

  #deliver(job: JobDefinition, scheduledTime: number, trigger: Trigger): void {
    const { inside, onRun } = this.#parts;
    inside.deliver(job.name, {
      job: job.name,
      scheduledTime: formatInstant(scheduledTime),
      trigger,
      revision: job.revision,
    });
    onRun({ job: job.name, scheduledTime });
  }

  #job(name: string): JobDefinition {
    const { jobs } = this.#parts.outlook();
    const job = jobs.get(name);
    if (job !== undefined) return job;
    throw new BelfryError('UnknownJob', `there is no job '${name}': known are ${[...jobs.keys()].join(', ')}`);
  }

  get #now(): number {
    return this.#parts.inside.clock.now();
  }
}
