import type { Severity } from '../contract/severity.ts';
import {
  type Change,
  type FoundCause,
  type Incident,
  type JobSignal,
  type JobTrouble,
  SEVERITY_OF,
  THE_WATCHDOG,
  type Trouble,
} from './incident.ts';
import type { TimingFinding } from './plan-timing.ts';

/** A job that was in trouble is called well when so much time has passed without another sign of it: one that flaps is not told of by the minute. */
export const CALM_MS = 10 * 60_000;
/** Nothing says that a job does not run too often but time: each job's rows are looked through once an hour. */
const QUIET_MS = 3 * 3_600_000;

export interface TellingInput {
  readonly incidents: readonly Incident[];
  readonly signals: readonly JobSignal[];
  /** Epoch milliseconds. */
  readonly now: number;
  /** After so long people are reminded, then after twice the time, and so on. */
  readonly remindMs: number;
  /** Jobs whose troubles are kept; of others an incident ends without a word: they were removed or disabled. */
  readonly isWatched: (job: string) => boolean;
  /** Of a paused job nobody is reminded. */
  readonly isPaused: (job: string) => boolean;
  /** Work is done on purpose: nothing is told before it is over, and what has passed by then never. */
  readonly isQuiet: boolean;
}

/** One message: an incident, all of its jobs that it is about, and what changed. */
export interface Message {
  readonly id: string;
  readonly kind: Trouble;
  readonly change: Change;
  readonly severity: Severity;
  readonly incidents: readonly Incident[];
}

/**
 * The incidents after what this sweep saw, each marked with what people have to be told of it. A job has one incident for
 * each kind of trouble, however many occurrences are in it; those that open in one sweep are one incident of several jobs.
 * Nothing is told twice while nothing changes, so a once-a-minute job that is broken makes one message and its reminders.
 */
export function planTelling(input: TellingInput): readonly Incident[] {
  const { now, isWatched } = input;
  const closing = input.incidents.filter(({ untold }) => untold === 'closed');
  const open = new Map<string, Incident>();
  for (const incident of input.incidents) {
    if (incident.untold === 'closed' || (!isWatched(incident.job) && incident.untold === undefined)) continue;
    open.set(keyOf(incident), incident);
  }
  // By the time that occurrences were due; of one of them the trouble first, so that a success ends it.
  const ordered = [...input.signals].sort((a, b) => a.scheduledTime - b.scheduledTime || rank(a) - rank(b));
  for (const signal of ordered) take(open, signal, now);
  return [
    ...closing,
    ...decide(
      [...open.values()].map((incident) => aged(incident, now)),
      input,
    ),
  ];
}

/**
 * That the watchdog is back, after minutes in which `WatchdogSilent` has paged: nobody else can say so.
 *
 * @param lastAt when the sweep before took place
 */
export function silenceBefore(now: number, lastAt: number): readonly Incident[] {
  if (Math.floor(now / MINUTE_MS) - Math.floor(lastAt / MINUTE_MS) <= SILENT_MINUTES) return [];
  const id = `silent-${new Date(lastAt).toISOString()}`;
  const about = { since: lastAt, scheduledTime: now, badAt: now, count: 1 };
  return [{ job: THE_WATCHDOG, kind: 'silent', id, ...about, untold: 'closed' }];
}

const MINUTE_MS = 60_000;
/** Whole minutes without a sweep after which the alarm rings. */
const SILENT_MINUTES = 3;

/** What is to be told, each incident in one message for each change. */
export function messagesOf(incidents: readonly Incident[]): readonly Message[] {
  const messages = new Map<string, Incident[]>();
  for (const incident of incidents) {
    if (incident.untold === undefined) continue;
    const key = `${incident.id} ${incident.untold}`;
    const group = messages.get(key);
    if (group === undefined) messages.set(key, [incident]);
    else group.push(incident);
  }
  return [...messages.values()].flatMap((group) => {
    const [first] = group;
    if (first?.untold === undefined) return [];
    const { id, kind, untold: change } = first;
    return [{ id, kind, change, severity: SEVERITY_OF[kind], incidents: group }];
  });
}

/** The incidents once these messages have been sent. */
export function markTold(incidents: readonly Incident[], told: readonly Message[], now: number): readonly Incident[] {
  const sent = new Set(told.map(({ id, change }) => `${id} ${change}`));
  return incidents.flatMap((incident) => {
    const { untold, ...rest } = incident;
    if (untold === undefined || !sent.has(`${incident.id} ${untold}`)) return [incident];
    if (untold === 'closed') return [];
    if (untold === 'followUp') return [rest];
    return [{ ...rest, toldAt: now, ...(untold === 'reminder' ? { reminders: (rest.reminders ?? 0) + 1 } : {}) }];
  });
}

/**
 * What was found out after people had been told: why jobs are late, and which have missed an occurrence since. It follows in
 * a message of its own, which the next sweep sends, once for each of the two.
 *
 * @param missed jobs of which an occurrence does not start any more
 */
export function withNews(
  incidents: readonly Incident[],
  causes: ReadonlyMap<string, FoundCause>,
  missed: ReadonlySet<string>,
): readonly Incident[] {
  return incidents.map((incident) => {
    if (incident.kind !== 'late' || incident.untold === 'closed') return incident;
    const found = causes.get(incident.job);
    const cause = found === undefined || found.cause === 'unknown' ? undefined : found;
    const isNewCause = cause !== undefined && incident.cause === undefined;
    const isNewMiss = missed.has(incident.job) && incident.missed === undefined;
    if (!isNewCause && !isNewMiss) return incident;
    const isTold = incident.toldAt !== undefined && incident.untold === undefined;
    return {
      ...incident,
      ...(isNewCause ? { cause } : {}),
      ...(isNewMiss ? { missed: true as const } : {}),
      ...(isTold ? { untold: 'followUp' as const } : {}),
    };
  });
}

function take(open: Map<string, Incident>, signal: JobSignal, now: number): void {
  const { job, kind, scheduledTime } = signal;
  const stuck = open.get(keyOf({ job, kind: 'stuck' }));
  // Whatever became of that run, it stands still no more. Another run says nothing about it.
  if (stuck !== undefined && stuck.scheduledTime === scheduledTime && ENDS.has(kind)) {
    open.set(keyOf(stuck), { ...stuck, wellSince: stuck.wellSince ?? now });
  }
  if (kind !== 'started' && kind !== 'succeeded') {
    const key = keyOf({ job, kind });
    const before = open.get(key);
    const { outlook, observedMs, limitMs } = signal;
    const seen = {
      ...(outlook === undefined ? {} : { outlook }),
      ...(observedMs === undefined ? {} : { observedMs }),
      ...(limitMs === undefined ? {} : { limitMs }),
    };
    if (before === undefined) {
      const missed = outlook === 'missed' ? { missed: true as const } : {};
      open.set(key, { job, kind, id: '', since: now, scheduledTime, ...seen, count: 1, badAt: now, ...missed });
    } else if (scheduledTime > before.scheduledTime) {
      const { wellSince: _well, madeUpSince: _madeUp, ...rest } = before;
      open.set(key, { ...rest, scheduledTime, ...seen, count: before.count + 1, badAt: now });
    }
    return;
  }
  for (const trouble of ENDED_BY[kind]) {
    const incident = open.get(keyOf({ job, kind: trouble }));
    if (incident === undefined || scheduledTime < incident.scheduledTime) continue;
    const isLater = scheduledTime > incident.scheduledTime;
    if (trouble === 'late' && kind === 'succeeded') {
      open.set(keyOf(incident), { ...incident, madeUpSince: incident.madeUpSince ?? now });
    } else if (isLater || !NEEDS_ANOTHER.has(trouble)) {
      open.set(keyOf(incident), { ...incident, wellSince: incident.wellSince ?? now });
    }
  }
}

const ENDED_BY: Readonly<Record<'started' | 'succeeded', readonly JobTrouble[]>> = {
  started: ['late'],
  succeeded: ['late', 'overdue', 'failed', 'timedOut', 'slow', 'tooFast'],
};
const ENDS: ReadonlySet<JobSignal['kind']> = new Set(['succeeded', 'failed', 'timedOut']);
/** That the occurrence itself ended well says nothing against these: the next one must be better. */
const NEEDS_ANOTHER: ReadonlySet<JobTrouble> = new Set(['late', 'slow', 'tooFast']);

function aged(incident: Incident, now: number): Incident {
  if (incident.kind !== 'tooOften' || now - incident.badAt < QUIET_MS) return incident;
  return { ...incident, wellSince: incident.wellSince ?? now };
}

function decide(open: readonly Incident[], { now, remindMs, isQuiet, isPaused }: TellingInput): readonly Incident[] {
  const isNew = ({ toldAt, untold }: Incident) => toldAt === undefined && untold === undefined;
  if (isQuiet) return open.map((one): Incident => (isNew(one) ? { ...one, held: true } : one));
  // What nobody was told on purpose, and has passed, needs no word. Everything else is told, also when it is over already.
  const kept = open.filter((one) => one.held === undefined || !isNew(one) || one.wellSince === undefined);
  const isOver = (one: Incident) => one.wellSince !== undefined && now - one.badAt >= CALM_MS;
  const notOver = new Set(kept.filter((one) => !isOver(one)).map(({ id }) => id));
  return kept.map((incident): Incident => {
    const { held: _, ...opened } = incident;
    const { id, kind, untold, toldAt, badAt, wellSince, madeUpSince, reminders = 0 } = opened;
    if (untold !== undefined) return incident;
    if (toldAt === undefined) return { ...opened, id: `${kind}-${new Date(now).toISOString()}`, untold: 'opened' };
    // All jobs of an incident are well, or it goes on.
    if (!notOver.has(id)) return { ...incident, untold: 'closed' };
    if (wellSince !== undefined || now - toldAt < remindMs * 2 ** reminders) return incident;
    // It was made up for and nothing of it was seen since: there is nothing to remind of.
    if (madeUpSince !== undefined && now - badAt >= remindMs) return { ...incident, wellSince: now };
    if (isPaused(incident.job)) return { ...incident, toldAt: now };
    return { ...incident, untold: 'reminder' };
  });
}

/** The findings of the timing watch that are signals. */
export function signalsOf(findings: readonly TimingFinding[]): readonly JobSignal[] {
  return findings.map(({ kind, key, outlook, observedMs, limitMs }): JobSignal => {
    if (kind === 'excluded') return { ...key, kind: 'late', outlook: 'missed', observedMs, limitMs };
    return { ...key, kind, ...(outlook === undefined ? {} : { outlook }), observedMs, limitMs };
  });
}

function keyOf({ job, kind }: Pick<Incident, 'job' | 'kind'>): string {
  return `${job} ${kind}`;
}

function rank({ kind }: JobSignal): number {
  return kind === 'started' || kind === 'succeeded' ? 1 : 0;
}
