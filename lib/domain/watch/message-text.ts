import { DateTime } from 'luxon';
import { formatInstant } from '../time/instant.ts';
import type { Incident, Outlook, Trouble } from './incident.ts';
import type { Message } from './plan-telling.ts';

/** A message names no more jobs than this; of the others it says only how many there are. */
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

/** Subject and body for people: which job, what happened, what the watchdog does about it, and the command to begin with. */
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
    `The watchdog of environment ${environment} is watching again. No sweep took place from ${formatInstant(since)} to ${formatInstant(until)}.`,
    '',
    'The watchdog now checks the occurrences that were due in this time, the oldest first. If one did not start in time, you',
    'get a message, and the watchdog starts it late if the catchUp of the job allows it.',
    '',
    'To see the result:',
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
    ...(isOver && incident.madeUpSince !== undefined ? ['  The watchdog started it late, and it succeeded.'] : []),
    ...(missed === true && (isOver || incident.outlook !== 'missed')
      ? ['  At least one occurrence did not start, and is recorded as missed.']
      : []),
    ...(cause === undefined
      ? []
      : [`  Cause: ${cause.cause}${cause.detail === undefined ? '' : ` (${cause.detail})`}.`]),
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
  waits: 'It starts after the runs of this job that are ahead of it.',
  began: 'It began without help from the watchdog.',
  missed: 'It will not start any more, and is recorded as missed.',
  stale:
    'It waited too long for another run. The job must not start late (harmfulWhenLate), so this occurrence is skipped.',
};

function happened({ kind, outlook, observedMs = 0, limitMs = 0 }: Incident): string {
  const [seen, allowed] = [spellMs(observedMs), spellMs(limitMs)];
  switch (kind) {
    case 'late':
      return outlook === 'began'
        ? `It began ${seen} after that time; ${allowed} are allowed. ${OUTLOOKS.began}`
        : `It had not started ${seen} after that time; ${allowed} are allowed. ${OUTLOOKS[outlook ?? 'waits']}`;
    case 'overdue':
      return `It had not succeeded ${seen} after that time; it should succeed within ${allowed}.`;
    case 'failed':
      return 'Its last attempt failed, and no other attempt follows.';
    case 'timedOut':
      return 'It was still running at its timeout, and no other attempt follows.';
    case 'stuck':
      return `It has reported the same progress for ${seen}.`;
    case 'slow':
      return `It has worked for ${seen}; for this job, more than ${allowed} is slow.`;
    case 'tooFast':
      return `It succeeded after ${seen}; its minimumDuration is ${allowed}. It may have done no work.`;
    case 'tooOften':
      return 'It ran, but the job was not due at this time.';
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

/** The command that mends the cause, if the cause is known; otherwise a command that shows more. */
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
