import { DateTime } from 'luxon';
import { formatInstant } from '../time/instant.ts';
import type { Incident, Outlook, Trouble } from './incident.ts';
import type { Message } from './plan-telling.ts';

/** Of more jobs a message says how many. */
const MOST_NAMED = 20;

export interface MessageText {
  readonly subject: string;
  readonly body: string;
}

export interface MessagePlace {
  readonly environment: string;
  /** Prefix of the scheduler's names: two apps may have an environment of one name. */
  readonly scheduler: string;
  /** IANA name of a job's zone; undefined when the job is gone. */
  readonly timeZoneOf: (job: string) => string | undefined;
}

/** What people read of a message: which job, what happened, what the watchdog does about it, and the command to begin with. */
export function messageText(message: Message, place: MessagePlace): MessageText {
  const { incidents, change, id, severity } = message;
  const { environment } = place;
  if (message.kind === 'silent') return watchingAgain(message, place);
  const jobs = incidents.map(({ job }) => job);
  const whose = jobs.length === 1 ? (jobs[0] ?? '') : `${jobs.length} jobs`;
  const says = `${whose} ${change === 'closed' ? wellAgain(jobs.length) : predicate(message)}`;
  const named = incidents.slice(0, MOST_NAMED);
  const more = incidents.length - named.length;
  const since = Math.min(...incidents.map((one) => one.since));
  const body = [
    `${PREFIX[change].body}${says} in environment ${environment}.`,
    '',
    ...named.flatMap((incident) => [...about(incident, change, place), '']),
    ...(more > 0 ? [`And ${more} more: belfry jobs --environment ${environment}`, ''] : []),
    ...(change === 'closed' ? [] : ['Begin with:', ...commands(named, place).map((command) => `  ${command}`), '']),
    `Incident ${id}, since ${formatInstant(since)}. Scheduler: ${place.scheduler}. Severity: ${severity}.`,
  ];
  return { subject: `[${environment}] ${PREFIX[change].subject}${says}`, body: body.join('\n') };
}

function watchingAgain({ id, incidents, severity }: Message, { environment, scheduler }: MessagePlace): MessageText {
  const since = Math.min(...incidents.map((one) => one.since));
  const until = Math.max(...incidents.map((one) => one.scheduledTime));
  const body = [
    `The watchdog of environment ${environment} is watching again. There was no sweep from ${formatInstant(since)} to ${formatInstant(until)}.`,
    '',
    'What was due meanwhile is looked at now, the oldest first. What did not start in time is told of and started late where',
    'its catchUp allows.',
    '',
    'See what became of it:',
    `  belfry verify --environment ${environment}`,
    '',
    `Incident ${id}. Scheduler: ${scheduler}. Severity: ${severity}.`,
  ];
  return { subject: `[${environment}] the watchdog is watching again`, body: body.join('\n') };
}

const PREFIX: Readonly<Record<Message['change'], { readonly subject: string; readonly body: string }>> = {
  opened: { subject: '', body: '' },
  followUp: { subject: 'more: ', body: 'More is known: ' },
  reminder: { subject: 'still: ', body: 'Reminder: ' },
  closed: { subject: '', body: '' },
};

const PREDICATES: Readonly<Record<Trouble, readonly [one: string, several: string]>> = {
  late: ['is late', 'are late'],
  overdue: ['is overdue', 'are overdue'],
  failed: ['failed', 'failed'],
  timedOut: ['timed out', 'timed out'],
  stuck: ['is stuck', 'are stuck'],
  slow: ['is slow', 'are slow'],
  tooFast: ['ended too soon', 'ended too soon'],
  tooOften: ['ran when it was not due', 'ran when they were not due'],
  silent: ['was silent', 'were silent'],
};

function predicate({ kind, incidents }: Message): string {
  const isOne = incidents.length === 1;
  if (kind === 'late' && incidents.every(({ outlook }) => outlook === 'missed')) {
    return isOne ? 'missed an occurrence' : 'missed occurrences';
  }
  return PREDICATES[kind][isOne ? 0 : 1];
}

function wellAgain(count: number): string {
  return count === 1 ? 'is well again' : 'are well again';
}

function about(incident: Incident, change: Message['change'], { timeZoneOf }: MessagePlace): string[] {
  const { job, scheduledTime, count, missed, cause } = incident;
  const occurrences = count === 1 ? 'one occurrence' : `${count} occurrences, the newest`;
  const when = `${occurrences} due ${spell(scheduledTime, timeZoneOf(job))}`;
  const isOver = change === 'closed';
  return [
    `${job}: ${when}`,
    ...(isOver ? [] : [`  ${happened(incident)}`]),
    ...(isOver && incident.madeUpSince !== undefined ? ['  It was started late, and succeeded.'] : []),
    ...(missed === true && (isOver || incident.outlook !== 'missed')
      ? ['  At least one of them did not start and is recorded as missed.']
      : []),
    ...(cause === undefined
      ? []
      : [`  Cause: ${cause.cause}${cause.detail === undefined ? '' : `, ${cause.detail}`}.`]),
  ];
}

/** `Mon 1 Jun 2026 08:00 America/New_York (2026-06-01T12:00:00Z)` */
function spell(instant: number, timeZone: string | undefined): string {
  const utc = formatInstant(instant);
  if (timeZone === undefined || timeZone === 'UTC') return utc;
  const local = DateTime.fromMillis(instant, { zone: timeZone, locale: 'en' });
  return `${local.toFormat('ccc d LLL yyyy HH:mm')} ${timeZone} (${utc})`;
}

const OUTLOOKS: Readonly<Record<Outlook, string>> = {
  starts: 'The watchdog starts it now.',
  waits: 'It starts when it is its turn.',
  began: 'It has begun by itself.',
  missed: 'It does not start any more, and is recorded as missed.',
  stale:
    'It waited for another run, and late it would do harm, so it does not start any more and is recorded as skipped.',
};

function happened({ kind, outlook, observedMs = 0, limitMs = 0 }: Incident): string {
  const [seen, allowed] = [spellMs(observedMs), spellMs(limitMs)];
  switch (kind) {
    case 'late':
      return outlook === 'began'
        ? `It began ${seen} after that time; allowed were ${allowed}. ${OUTLOOKS.began}`
        : `It had not started ${seen} after that time; allowed were ${allowed}. ${OUTLOOKS[outlook ?? 'waits']}`;
    case 'overdue':
      return `It has no success ${seen} after that time; expected was one within ${allowed}.`;
    case 'failed':
      return 'Its last attempt failed, and none follows.';
    case 'timedOut':
      return 'It was still going at its timeout, and no attempt follows.';
    case 'stuck':
      return `It has said the same of its progress for ${seen}.`;
    case 'slow':
      return `It has worked for ${seen}; its usual time makes everything above ${allowed} slow.`;
    case 'tooFast':
      return `It succeeded after ${seen}; its minimumDuration is ${allowed}. It may have done nothing.`;
    case 'tooOften':
      return 'Its schedule has no such time.';
    case 'silent':
      return 'No sweep took place.';
  }
}

function spellMs(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Number((seconds / 3_600).toFixed(1))} h`;
}

/** One for each cause that is known; for what is not, the command that shows more. */
function commands(incidents: readonly Incident[], { environment }: MessagePlace): readonly string[] {
  const found = incidents.map((incident): string => {
    const { job, kind, scheduledTime, cause } = incident;
    if (cause?.fix !== undefined) return cause.fix;
    if (kind === 'late') return `belfry doctor --environment ${environment}`;
    if (kind === 'tooOften') return `belfry verify --environment ${environment}`;
    if (kind === 'slow' || kind === 'tooFast') return `belfry runs ${job} --environment ${environment}`;
    return `belfry run ${job} ${formatInstant(scheduledTime)} --environment ${environment}`;
  });
  return [...new Set(found)];
}
