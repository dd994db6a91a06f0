import type { OccurrenceEvent } from '../occurrence-event.ts';
import { HORIZON_MS, planAdmission } from '../run/plan-admission.ts';
import { isFinished, type RunRecord } from '../run/run-record.ts';
import { parseSchedule } from '../schedule/parse-schedule.ts';
import { formatInstant } from '../time/instant.ts';
import { isMeant } from '../translation/aws-schedule.ts';
import type { RosterEntry } from '../watch/watch-state.ts';

/** What was given up and put aside, as a person sees it. */
export interface DeadLetter {
  /** Of the message that holds it. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly givenUpAt: number;
  /** What gave it up: what fires the job, what runs its function, or what tells of runs. */
  readonly from: 'scheduler' | 'function' | 'stream' | 'unknown';
  /** Undefined: it holds no event of a job. */
  readonly event?: OccurrenceEvent;
  readonly code: string;
  readonly message: string;
  /** How often it was tried again. */
  readonly retries?: number;
  /** Of a stream: how many changes nobody was told of. */
  readonly changes?: number;
}

/** Which of them a person means. */
export interface DeadLetterChoice {
  readonly job?: string;
  /** Epoch milliseconds. */
  readonly scheduledTime?: number;
  /** Those that hold no event of a job. */
  readonly other?: boolean;
}

export function isChosen({ event }: DeadLetter, { job, scheduledTime, other = false }: DeadLetterChoice): boolean {
  if (other) return event === undefined;
  if (job === undefined) return true;
  return event?.job === job && (scheduledTime === undefined || event.scheduledTime === scheduledTime);
}

export type RedeliveryPlan =
  | { readonly next: 'deliver'; readonly event: OccurrenceEvent }
  /** Nothing is left to do. */
  | { readonly next: 'discard'; readonly why: string }
  /** It cannot be delivered, and stays until a person discards it. */
  | { readonly next: 'keep'; readonly why: string };

/**
 * What becomes of a dead letter that is to be delivered again.
 * @param job as it is declared now, if it is
 * @param run the record of its occurrence, if there is one
 */
export function planRedelivery(
  { event, from }: DeadLetter,
  {
    job,
    run,
    now,
  }: { readonly job: RosterEntry | undefined; readonly run: RunRecord | undefined; readonly now: number },
): RedeliveryPlan {
  if (event === undefined) {
    const why =
      from === 'stream'
        ? "it says which changes of the run table were not told, and no longer holds them: see 'belfry runs', then discard it"
        : 'it holds no event of a job: look at it in the queue, then discard it';
    return { next: 'keep', why };
  }
  if (run !== undefined && isFinished(run)) {
    const way =
      run.status === 'missed' || run.status === 'skipped'
        ? `; 'belfry trigger ${event.job}' starts a run in its stead`
        : '';
    return { next: 'discard', why: `it is ${run.status} already${way}` };
  }
  if (job === undefined)
    return {
      next: 'keep',
      why: 'no job of that name is known: it was removed, or the watchdog has not looked since it was deployed',
    };
  const { schedule, timeZone, dst } = job;
  const isDue = (at: number) => parseSchedule(schedule, { timeZone, dst }).next(at - 1) === at;
  const instead = `'belfry trigger ${event.job}' starts a run in its stead, then discard it`;
  switch (planAdmission(event, job, now, isDue)) {
    case 'admit':
      return { next: 'deliver', event };
    case 'notDue':
      return { next: 'discard', why: 'its schedule fires more often than the job is due, and it was not due then' };
    case 'tooOld':
      return {
        next: 'keep',
        why: `it is older than ${HORIZON_MS / 86_400_000} days, when its record may be gone and its function refuses it: ${instead}`,
      };
    case 'superseded':
      return { next: 'keep', why: `the job's schedule has changed, and it is not due then any more: ${instead}` };
  }
}

/** Dead letters of one occurrence, or of one kind that is no occurrence. */
export interface DeadLetterGroup {
  readonly event?: OccurrenceEvent;
  readonly from: DeadLetter['from'];
  /** Of the newest. */
  readonly why: string;
  /** When the newest was given up. */
  readonly givenUpAt: number;
  readonly times: number;
}

/** By occurrence, the one that was given up last first. */
export function groupDeadLetters(letters: readonly DeadLetter[]): readonly DeadLetterGroup[] {
  const newestFirst = [...letters].sort((one, other) => other.givenUpAt - one.givenUpAt);
  const groups = new Map<string, DeadLetterGroup>();
  for (const letter of newestFirst) {
    const { event, from, givenUpAt } = letter;
    const isDue = event === undefined || isMeant(event.scheduledTime, event.everyMs);
    const why = `${isDue ? '' : 'nothing was due then, so nothing is lost: '}${whyGivenUp(letter)}`;
    const key = event === undefined ? `${from} ${why}` : `${event.job} ${event.scheduledTime}`;
    const known = groups.get(key);
    groups.set(
      key,
      known === undefined
        ? { ...(event === undefined ? {} : { event }), from, why, givenUpAt, times: 1 }
        : { ...known, times: known.times + 1 },
    );
  }
  return [...groups.values()];
}

/** Why it was given up, in words. */
export function whyGivenUp({ from, code, message, retries, changes }: DeadLetter): string {
  const said = message === '' ? '' : `: ${message}`;
  const again =
    retries === undefined || retries === 0 ? '' : `, tried again ${retries === 1 ? 'once' : `${retries} times`}`;
  switch (from) {
    case 'scheduler':
      return `EventBridge Scheduler could not hand it to Lambda (${code === '' ? 'no reason given' : code}${again})${said}`;
    case 'function':
      if (code === '200') return `the function failed at its last attempt${said}`;
      if (code === '429') return `Lambda had no capacity for it until it was too old${said}`;
      return `Lambda could not run the function (${code === '' ? 'no reason given' : code})${said}`;
    case 'stream':
      return `lifecycle events of ${changes ?? 'some'} changes could not be told (${code})`;
    case 'unknown':
      return `not put there by Belfry, EventBridge Scheduler or Lambda${said}`;
  }
}

/** As a command takes it: `invoice-dunning 2026-10-31T23:00:00Z`. */
export function nameLetter({ event, from }: DeadLetter): string {
  if (event !== undefined) return `${event.job} ${formatInstant(event.scheduledTime)}`;
  return from === 'stream' ? 'lifecycle events' : 'a message that is no event';
}
