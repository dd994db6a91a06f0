import { BelfryError } from '../errors.ts';
import type { JobDefinition } from '../job.ts';
import { isPaused, type PauseOptions, readsPause } from '../run/plan-overlap.ts';
import { type FinishedStatus, isFinished, type RunRecord, type TurnRecord } from '../run/run-record.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { formatInstant } from '../time/instant.ts';

/** Seconds that are tried for a run of its own, from now on. */
const MOST_SECONDS = 60;

export type OperatedJob = Pick<JobDefinition, 'name' | 'revision'> & PauseOptions;

/**
 * The instants that a run may have which a person asks for now, the best first: whole seconds at which the job is not due,
 * so that it is a run of its own and takes no occurrence away. None of them is far from now.
 */
export function* planTrigger(schedule: Schedule, now: number): Generator<number> {
  const first = Math.floor(now / 1_000) * 1_000;
  for (let at = first; at < first + MOST_SECONDS * 1_000; at += 1_000) if (!isOccurrence(schedule, at)) yield at;
}

/**
 * @returns the note, as it is to be kept
 * @throws BelfryError `NoNote`, `PauseNotRead`, `AlreadyPaused`
 */
export function planPause(job: OperatedJob, note: string | undefined, turn: TurnRecord, now: number): string {
  const said = note?.trim() ?? '';
  if (said === '') {
    throw new BelfryError('NoNote', `pausing '${job.name}' needs a note: say why, for whoever finds it paused`);
  }
  if (!readsPause(job)) {
    throw new BelfryError(
      'PauseNotRead',
      `'${job.name}' cannot be paused: its overlap is 'allow', and such a run starts without looking whether its job is paused; declare it with pausable: true and deploy, which costs each run one more read; or with enabled: false; or give it another overlap ('skip', 'bufferOne', 'cancelOther'), or skip single occurrences with 'belfry skip'`,
    );
  }
  if (isPaused(turn, now)) {
    throw new BelfryError('AlreadyPaused', `'${job.name}' is paused already${whoPaused(turn)}: resume it first`);
  }
  return said;
}

/** @throws BelfryError `NotPaused` */
export function planResume(job: OperatedJob, turn: TurnRecord): void {
  if (turn.paused !== true)
    throw new BelfryError('NotPaused', `'${job.name}' is not paused: there is nothing to resume`);
}

/** @throws BelfryError `NotAnOccurrence`, `AlreadyBegun` */
export function planSkip(
  job: OperatedJob,
  schedule: Schedule,
  scheduledTime: number,
  run: RunRecord | undefined,
): void {
  if (!isOccurrence(schedule, scheduledTime)) {
    const around = [schedule.previous(scheduledTime), schedule.next(scheduledTime)].filter((at) => at !== undefined);
    const nearest =
      around.length === 0 ? 'it has none' : `the nearest are ${around.map((at) => formatInstant(at)).join(' and ')}`;
    throw new BelfryError(
      'NotAnOccurrence',
      `${iso(scheduledTime)} is no occurrence of '${job.name}' (${schedule.expressions.join(', ')}, ${schedule.timeZone}): ${nearest}`,
    );
  }
  if (run !== undefined && !(run.status === 'pending' && run.fencingToken === 0)) throw alreadyBegun(run);
}

export function alreadyBegun({ job, scheduledTime, status }: Pick<RunRecord, 'job' | 'scheduledTime' | 'status'>) {
  return new BelfryError(
    'AlreadyBegun',
    `${job} ${formatInstant(scheduledTime)} is ${status}: only what has not begun can be skipped`,
  );
}

export interface BackfillRange {
  /** Exclusive, epoch milliseconds. */
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
  /** More occurrences than this are refused. */
  readonly limit: number;
}

/**
 * The occurrences in the range, the oldest first. One too many is enough to refuse it: a range of years is not walked.
 * @throws BelfryError `EmptyRange`, `RangeInFuture`, `TooManyOccurrences`
 */
export function planBackfill(job: OperatedJob, schedule: Schedule, range: BackfillRange, now: number): number[] {
  const { from, to, limit } = range;
  if (from >= to) throw new BelfryError('EmptyRange', 'nothing lies between: give an end that is after the beginning');
  if (to > now) {
    throw new BelfryError('RangeInFuture', `${iso(to)} is to come: a backfill ends at the latest now, ${iso(now)}`);
  }
  const due: number[] = [];
  for (const at of schedule.between(from, to)) {
    if (due.length === limit) {
      throw new BelfryError(
        'TooManyOccurrences',
        `more than ${limit} occurrences of '${job.name}' lie in this range: backfill it in parts, the first one up to ${formatInstant(due.at(-1) ?? to)}`,
      );
    }
    due.push(at);
  }
  return due;
}

export interface BackfillSplit {
  /** To be asked for, the oldest first. */
  readonly open: readonly number[];
  /** How many have which outcome already. A missed or skipped occurrence has its outcome: the ledger is not rewritten. */
  readonly done: Readonly<Partial<Record<FinishedStatus, number>>>;
}

export function splitBackfill(due: readonly number[], runs: readonly RunRecord[]): BackfillSplit {
  const finished = runs.filter(isFinished);
  const outcomes = new Set(finished.map(({ scheduledTime }) => scheduledTime));
  const done: Partial<Record<FinishedStatus, number>> = {};
  for (const { status } of finished) done[status] = (done[status] ?? 0) + 1;
  return { open: due.filter((at) => !outcomes.has(at)), done };
}

function isOccurrence(schedule: Schedule, at: number): boolean {
  return schedule.next(at - 1) === at;
}

function whoPaused({ pausedBy, pauseNote }: TurnRecord): string {
  const by = pausedBy === undefined ? '' : ` by ${pausedBy}`;
  return pauseNote === undefined ? by : `${by}: ${pauseNote}`;
}

/** With its fraction, where a person gave one: that may be what is wrong with it. */
function iso(at: number): string {
  return new Date(at).toISOString().replace('.000', '');
}
