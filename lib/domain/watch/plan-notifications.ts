import { SEVERITIES, type Severity } from '../contract/severity.ts';
import type { TimingFinding } from './plan-timing.ts';

/** What the end of an occurrence, or its not ending, says about its job. */
export interface JobSignal {
  readonly job: string;
  /** Epoch milliseconds. */
  readonly scheduledTime: number;
  readonly kind: 'succeeded' | 'failed' | 'timedOut' | 'missed' | 'overdue';
}

/** A job that is not well. Kept from the first bad signal to the next good one. Instants in epoch milliseconds. */
export interface Incident {
  readonly since: number;
  /** The occurrence that was told of last, and the newest that went wrong. */
  readonly kind: JobSignal['kind'];
  readonly scheduledTime: number;
  readonly severity: Severity;
  readonly toldAt: number;
  /** Bad signals so far. */
  readonly count: number;
}

export interface Notification {
  readonly job: string;
  /** `opened`: was well, is not. `escalated`: is worse than was told. `reminder`: still is. `recovered`: is well again. */
  readonly change: 'opened' | 'escalated' | 'reminder' | 'recovered';
  readonly severity: Severity;
  readonly kind: JobSignal['kind'];
  readonly scheduledTime: number;
  readonly since: number;
  readonly count: number;
}

export interface NotificationPlan {
  readonly notifications: readonly Notification[];
  readonly incidents: Readonly<Record<string, Incident>>;
}

const SEVERITY: Readonly<Record<Exclude<JobSignal['kind'], 'succeeded'>, Severity>> = {
  missed: 'warn',
  failed: 'ticket',
  timedOut: 'ticket',
  overdue: 'page',
};

/**
 * Whom to tell what. A job is told of once when it stops being well, once when it gets worse, once when it is well again,
 * and in between every `remindMs`. An attempt that fails with another to follow is no signal, so a run whose retry
 * succeeds is never told of.
 *
 * @param remindMs undefined: no reminders
 */
export function planNotifications(
  incidents: Readonly<Record<string, Incident>>,
  signals: readonly JobSignal[],
  now: number,
  remindMs: number | undefined,
): NotificationPlan {
  const open = new Map(Object.entries(incidents));
  const notifications: Notification[] = [];
  const tell = (job: string, change: Notification['change'], incident: Incident) => {
    const { severity, kind, scheduledTime, since, count } = incident;
    notifications.push({ job, change, severity, kind, scheduledTime, since, count });
  };
  for (const [job, ofJob] of byJob(signals)) {
    const before = open.get(job);
    const after = ofJob.reduce<Incident | undefined>((incident, signal) => step(incident, signal, now), before);
    if (after === undefined) {
      open.delete(job);
      if (before !== undefined) tell(job, 'recovered', before);
      continue;
    }
    const change = before === undefined ? 'opened' : isWorse(after.severity, before.severity) ? 'escalated' : undefined;
    open.set(job, change === undefined ? after : { ...after, toldAt: now });
    if (change !== undefined) tell(job, change, after);
  }
  for (const [job, incident] of open) {
    if (remindMs === undefined || now - incident.toldAt < remindMs) continue;
    open.set(job, { ...incident, toldAt: now });
    tell(job, 'reminder', incident);
  }
  return { notifications, incidents: Object.fromEntries(open) };
}

/** One signal after the other, by the time the occurrence was due. A success ends only what went wrong before it. */
function step(incident: Incident | undefined, signal: JobSignal, now: number): Incident | undefined {
  const { kind, scheduledTime } = signal;
  if (kind === 'succeeded') {
    return incident !== undefined && scheduledTime < incident.scheduledTime ? incident : undefined;
  }
  const severity = SEVERITY[kind];
  if (incident === undefined) return { since: now, kind, scheduledTime, severity, toldAt: now, count: 1 };
  const worse = isWorse(severity, incident.severity);
  return {
    ...incident,
    scheduledTime: Math.max(incident.scheduledTime, scheduledTime),
    count: incident.count + 1,
    ...(worse ? { kind, severity } : {}),
  };
}

function byJob(signals: readonly JobSignal[]): Map<string, JobSignal[]> {
  const jobs = new Map<string, JobSignal[]>();
  for (const signal of [...signals].sort((a, b) => a.scheduledTime - b.scheduledTime)) {
    const ofJob = jobs.get(signal.job) ?? [];
    ofJob.push(signal);
    jobs.set(signal.job, ofJob);
  }
  return jobs;
}

function isWorse(one: Severity, other: Severity): boolean {
  return SEVERITIES.indexOf(one) > SEVERITIES.indexOf(other);
}

/** The findings of the timing watch that are signals. */
export function signalsOf(findings: readonly TimingFinding[]): readonly JobSignal[] {
  return findings.flatMap(({ kind, key }): readonly JobSignal[] => {
    if (kind === 'overdue') return [{ ...key, kind }];
    return kind === 'excluded' ? [{ ...key, kind: 'missed' }] : [];
  });
}
