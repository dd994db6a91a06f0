import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Trigger } from '../../lib/domain/job.ts';
import type { MetricUnit } from '../../lib/domain/run/custom-metric.ts';

/** A value that survives being written as JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

/** A value as it comes back from JSON: a Date as text, a function not at all. */
export type Saved<Value> = Value extends { toJSON(): infer Written }
  ? Saved<Written>
  : Value extends bigint | symbol | ((...args: never[]) => unknown)
    ? never
    : Value extends object
      ? { [Key in keyof Value]: Saved<Value[Key]> }
      : Value;

declare const continues: unique symbol;
/** What `continueLater` returns: the handler must return it. */
export interface Continuation {
  readonly [continues]: true;
}

/** The work that one run covers: after `from`, up to and including `to`. */
export interface RunWindow {
  /** The scheduled time up to which earlier runs have succeeded; undefined before the first success. */
  readonly from: Date | undefined;
  /** This run's scheduled time. */
  readonly to: Date;
}

export interface RunLog {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

export interface RunMetrics {
  /**
   * Adds to a metric of the job, which is told when the attempt ends. `Count`, the default unit, adds up to one value; of
   * other units each value is kept, so that averages and percentiles are right. A value that is not a finite number is left
   * out, and a log line says so. Each name is a CloudWatch metric of its own, by job: about 0.30 USD a month.
   * @throws BelfryError `IllegalMetric` for a unit that CloudWatch does not know, a name that it would not take, a name of
   * Belfry's own, or a second unit for the same name.
   */
  add(name: string, value: number, unit?: MetricUnit): void;
}

/** What a handler is given: one attempt at one run. */
export interface JobRun {
  readonly jobName: string;
  /** The nominal instant. With the job's name it identifies the run. */
  readonly scheduledTime: Date;
  /** `scheduledTime` on the wall clock of the job's zone, with its offset: `2026-11-02T08:00:00-05:00`. */
  readonly localTime: string;
  /** From 1. */
  readonly attempt: number;
  readonly trigger: Trigger;
  /** Milliseconds from the scheduled time to the beginning of this attempt. */
  readonly lateness: number;
  readonly isCatchUp: boolean;
  /** When the handler will be told to stop. */
  readonly deadline: Date;
  /** Aborts at the deadline, and when the run was taken over or cancelled. Pass it on to whatever can be aborted. */
  readonly signal: AbortSignal;
  /** The same for every attempt of this run and for no other: for targets that recognise repetitions. */
  readonly idempotencyKey: string;
  /** Grows with every attempt: for targets that refuse a number lower than one they have seen. */
  readonly fencingToken: number;
  /**
   * The work since the last success, without holes or overlaps whatever failed or was skipped in between.
   * @throws BelfryError `WindowNeedsOrder` for overlap `allow`, whose runs have no order.
   */
  readonly window: RunWindow;
  /** What the previous invocation of this attempt handed to `continueLater`; undefined in the first. */
  readonly state: Json | undefined;
  readonly log: RunLog;
  readonly metrics: RunMetrics;

  /**
   * Applies DynamoDB writes and the run's success in one transaction: both, or neither. At most 99 items (AttributeValue
   * form), once per run; afterwards the run is finished.
   * @throws BelfryError `CommitRefused` when a condition of the items failed (the run goes on), `Fenced`,
   * `CommittedTwice`, `TooManyItems`.
   */
  commit(items: readonly TransactWriteItem[], options?: { readonly result?: Json }): Promise<void>;
  /**
   * Does `work` once per run: a later attempt gets the saved value without doing it again. Names are unique in a handler.
   * The value is what JSON makes of it, in the first attempt as in the others.
   * @throws BelfryError `StepRepeated`, `StepNotJson`, `CheckpointTooLarge` (all steps together: 350 KB), `Fenced`.
   */
  step<Value>(name: string, work: () => Value | Promise<Value>): Promise<Saved<Value>>;
  /** Tells how far the work is; saved with the next checkpoint, at least every 15 seconds. */
  progress(done: number, total: number): Promise<void>;
  /** Ends this invocation; the attempt goes on in a fresh one with `state`. Return what it returns. */
  continueLater(state: Json): Continuation;
}

export type JobHandler = (run: JobRun) => unknown;
