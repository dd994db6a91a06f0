import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Incident, JobSignal } from '../../../lib/domain/watch/incident.ts';
import { markTold, messagesOf, planTelling, silenceBefore, withNews } from '../../../lib/domain/watch/plan-telling.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOON = Date.parse('2026-06-01T12:00:00Z');

/** People who are told of jobs, sweep by sweep. */
class People {
  incidents: readonly Incident[] = [];
  readonly told: string[] = [];
  watched: ReadonlySet<string> = new Set(['sync', 'one', 'two', 'three']);
  paused: ReadonlySet<string> = new Set();
  isQuiet = false;
  /** What a sweep has saved and not sent. */
  isKilled = false;

  sweep(now: number, ...signals: JobSignal[]): readonly string[] {
    const planned = planTelling({
      incidents: this.incidents,
      signals,
      now,
      remindMs: DAY,
      isWatched: (job) => this.watched.has(job),
      isPaused: (job) => this.paused.has(job),
      isQuiet: this.isQuiet,
    });
    this.incidents = planned;
    if (this.isQuiet || this.isKilled) return [];
    const messages = messagesOf(planned);
    this.incidents = markTold(planned, messages, now);
    const told = messages.map(
      ({ change, kind, incidents }) => `${change} ${kind} ${incidents.map(({ job }) => job).join(',')}`,
    );
    this.told.push(...told);
    return told;
  }
}

const signal = (kind: JobSignal['kind'], scheduledTime: number, job = 'sync'): JobSignal => ({
  job,
  kind,
  scheduledTime,
});

describe('planTelling', () => {
  test('tells when something is wrong with a job, and when it is well again', () => {
    const people = new People();
    expect(people.sweep(NOON, signal('succeeded', NOON - HOUR))).toEqual([]);
    expect(people.sweep(NOON + HOUR, signal('failed', NOON))).toEqual(['opened failed sync']);
    expect(people.sweep(NOON + 2 * HOUR, signal('succeeded', NOON + HOUR))).toEqual(['closed failed sync']);
    expect(people.sweep(NOON + 3 * HOUR, signal('succeeded', NOON + 2 * HOUR))).toEqual([]);
    expect(people.incidents).toEqual([]);
  });

  test('a job that fails once a minute, or every other minute, is one message, its reminders and one at the end', () => {
    for (const every of [1, 2]) {
      const people = new People();
      let minute = 0;
      for (; minute < 3 * 1_440; minute++) {
        const at = NOON + minute * MINUTE;
        people.sweep(at + MINUTE, signal(minute % every === 0 ? 'failed' : 'succeeded', at));
      }
      const last = minute;
      for (; minute < last + 20; minute++) {
        const at = NOON + minute * MINUTE;
        people.sweep(at + MINUTE, signal('succeeded', at));
      }
      expect(people.told).toEqual(['opened failed sync', 'reminder failed sync', 'closed failed sync']);
    }
  });

  test('each kind of trouble is told of by itself, at its severity', () => {
    const people = new People();
    people.sweep(NOON, signal('late', NOON), signal('overdue', NOON), signal('failed', NOON));
    expect([...people.told].sort()).toEqual(['opened failed sync', 'opened late sync', 'opened overdue sync']);
    expect(new Set(people.incidents.map(({ id }) => id)).size).toBe(3);
  });

  test('jobs in the same trouble in one sweep are one message, closed when the last of them is well', () => {
    const people = new People();
    const all = ['one', 'two', 'three'];
    expect(people.sweep(NOON, ...all.map((job) => signal('late', NOON, job)))).toEqual(['opened late one,two,three']);
    expect(people.sweep(NOON + HOUR, signal('started', NOON + HOUR, 'one'))).toEqual([]);
    expect(people.sweep(NOON + 2 * HOUR, signal('started', NOON + HOUR, 'two'))).toEqual([]);
    expect(people.sweep(NOON + DAY)).toEqual(['reminder late three']);
    expect(people.sweep(NOON + DAY + HOUR, signal('started', NOON + DAY, 'three'))).toEqual([
      'closed late one,two,three',
    ]);
  });

  test('what was late and has been made up for is not well until the next one starts by itself', () => {
    const people = new People();
    people.sweep(NOON, signal('late', NOON));
    for (let day = 1; day <= 3; day++) {
      people.sweep(NOON + day * DAY - HOUR, signal('succeeded', NOON + (day - 1) * DAY));
      people.sweep(NOON + day * DAY, signal('late', NOON + day * DAY));
    }
    people.sweep(NOON + 4 * DAY, signal('started', NOON + 4 * DAY));
    expect(people.told).toEqual(['opened late sync', 'reminder late sync', 'reminder late sync', 'closed late sync']);
  });

  test('a single late start that was made up for is closed instead of reminded of, also when nothing follows for a year', () => {
    const people = new People();
    people.sweep(NOON, signal('late', NOON));
    people.sweep(NOON + 5 * MINUTE, signal('succeeded', NOON));
    for (let hour = 1; hour < 200; hour++) people.sweep(NOON + hour * HOUR);
    expect(people.told).toEqual(['opened late sync', 'closed late sync']);
  });

  test('reminders come after a day, then after twice the time, and so on', () => {
    const people = new People();
    const days: number[] = [];
    people.sweep(NOON, signal('overdue', NOON));
    for (let hour = 1; hour < 24 * 20; hour++) {
      if (people.sweep(NOON + hour * HOUR).length > 0) days.push(hour / 24);
    }
    expect(days).toEqual([1, 3, 7, 15]);
  });

  test('nobody is reminded of a paused job', () => {
    const people = new People();
    people.sweep(NOON, signal('failed', NOON));
    people.paused = new Set(['sync']);
    for (let hour = 1; hour <= 50; hour++) people.sweep(NOON + hour * HOUR);
    people.paused = new Set();
    for (let hour = 51; hour <= 80; hour++) people.sweep(NOON + hour * HOUR);
    expect(people.told).toEqual(['opened failed sync', 'reminder failed sync']);
  });

  test('a success of before ends nothing, and that of the slow run itself does not make the job quick', () => {
    const people = new People();
    people.sweep(NOON, signal('failed', NOON), signal('slow', NOON), signal('succeeded', NOON));
    people.sweep(NOON + HOUR, signal('succeeded', NOON - HOUR));
    const open = people.incidents.filter(({ wellSince }) => wellSince === undefined);
    expect(open.map(({ kind }) => kind)).toEqual(['slow']);
  });

  test('what went wrong and right again between two sweeps is told of all the same', () => {
    const people = new People();
    const [first, second] = [NOON - 2 * MINUTE, NOON - MINUTE];
    expect(people.sweep(NOON, signal('failed', first), signal('succeeded', second))).toEqual(['opened failed sync']);
    expect(people.sweep(NOON + 10 * MINUTE)).toEqual(['closed failed sync']);
  });

  test('a run that stands still does so until it ends, whatever becomes of others', () => {
    const people = new People();
    people.sweep(NOON, signal('stuck', NOON), signal('succeeded', NOON + MINUTE));
    people.sweep(NOON + HOUR, signal('succeeded', NOON + 30 * MINUTE));
    expect(people.told).toEqual(['opened stuck sync']);
    expect(people.sweep(NOON + 2 * HOUR, signal('timedOut', NOON))).toEqual([
      'closed stuck sync',
      'opened timedOut sync',
    ]);
  });

  test('what is not known to be sent is told again under the same id, whatever was seen meanwhile', () => {
    const people = new People();
    people.isKilled = true;
    people.sweep(NOON, signal('failed', NOON, 'one'), signal('failed', NOON, 'two'));
    const ids = people.incidents.map(({ id }) => id);
    people.sweep(NOON + MINUTE, signal('succeeded', NOON + MINUTE, 'one'), signal('failed', NOON + MINUTE, 'three'));
    people.isKilled = false;
    expect(people.sweep(NOON + 2 * MINUTE)).toEqual(['opened failed one,two', 'opened failed three']);
    expect(people.incidents.slice(0, 2).map(({ id }) => id)).toEqual(ids);
    people.isKilled = true;
    people.sweep(NOON + HOUR, ...['one', 'two'].map((job) => signal('succeeded', NOON + HOUR, job)));
    people.isKilled = false;
    // It goes wrong again before anybody knows that it was well: both are told.
    expect(people.sweep(NOON + HOUR + MINUTE, signal('failed', NOON + HOUR + MINUTE, 'one'))).toEqual([
      'closed failed one,two',
      'opened failed one',
    ]);
  });

  test('of a job that is removed or disabled nothing more is told', () => {
    const people = new People();
    people.sweep(NOON, signal('late', NOON, 'one'), signal('late', NOON, 'two'));
    people.watched = new Set(['two']);
    expect(people.sweep(NOON + 2 * DAY)).toEqual(['reminder late two']);
    expect(people.incidents.map(({ job }) => job)).toEqual(['two']);
  });

  test('nothing is told while work is done on purpose; what lasts is told then, what has passed never', () => {
    const people = new People();
    people.isQuiet = true;
    people.sweep(NOON, signal('failed', NOON, 'one'), signal('failed', NOON, 'two'));
    people.sweep(NOON + HOUR, signal('succeeded', NOON + HOUR, 'one'));
    expect(people.told).toEqual([]);
    people.isQuiet = false;
    expect(people.sweep(NOON + 2 * HOUR)).toEqual(['opened failed two']);
  });

  test('a job that ran too often is well when it has not done so for hours', () => {
    const people = new People();
    people.sweep(NOON, signal('tooOften', NOON));
    for (let n = 1; n < 240; n++) people.sweep(NOON + n * MINUTE);
    expect(people.told).toEqual(['opened tooOften sync', 'closed tooOften sync']);
  });

  test('a cause and a first miss that are found after the message follow, each once', () => {
    const people = new People();
    people.sweep(NOON, signal('late', NOON));
    const cause = { cause: 'scheduleDisabled', fix: 'cdk deploy' } as const;
    people.incidents = withNews(people.incidents, new Map([['sync', { cause: 'unknown' }]]), new Set());
    expect(people.sweep(NOON + MINUTE)).toEqual([]);
    for (const missed of [new Set<string>(), new Set<string>(), new Set(['sync']), new Set(['sync'])]) {
      people.incidents = withNews(people.incidents, new Map([['sync', cause]]), missed);
      people.sweep(NOON + 2 * MINUTE);
    }
    expect(people.told).toEqual(['opened late sync', 'followUp late sync', 'followUp late sync']);
    expect(people.incidents).toMatchObject([{ cause, missed: true }]);
  });

  test('whatever happens and whichever sweeps are killed: each trouble is told of, opened and closed take turns', () => {
    const kind = fc.constantFrom<(JobSignal['kind'] | undefined)[]>(undefined, 'succeeded', 'failed', 'overdue');
    fc.assert(
      fc.property(fc.array(fc.tuple(kind, fc.boolean()), { maxLength: 60 }), (story) => {
        const people = new People();
        const bad = new Set<string>();
        for (const [index, [what, isKilled]] of story.entries()) {
          const at = NOON + index * 7 * MINUTE;
          people.isKilled = isKilled;
          people.sweep(at, ...(what === undefined ? [] : [signal(what, at)]));
          if (what === 'failed' || what === 'overdue') bad.add(what);
        }
        people.isKilled = false;
        people.sweep(NOON + story.length * 7 * MINUTE);
        for (const trouble of bad) expect(people.told).toContain(`opened ${trouble} sync`);
        for (const trouble of ['failed', 'overdue']) {
          const changes = people.told.filter((text) => text.includes(` ${trouble} `)).map((text) => text.split(' ')[0]);
          const turns = changes.filter((change) => change === 'opened' || change === 'closed');
          for (const [index, change] of turns.entries()) expect(change).toBe(index % 2 === 0 ? 'opened' : 'closed');
        }
      }),
    );
  });
});

describe('silenceBefore', () => {
  const at = (time: string) => Date.parse(`2026-06-01T${time}Z`);

  test('the watchdog says that it is back when three whole minutes were without a sweep, which is when the alarm rings', () => {
    expect(silenceBefore(at('12:03:59'), at('12:00:00'))).toEqual([]);
    expect(silenceBefore(at('12:04:00'), at('12:00:59'))).toMatchObject([
      { kind: 'silent', untold: 'closed', since: at('12:00:59'), scheduledTime: at('12:04:00') },
    ]);
  });

  test('once, however often it is tried', () => {
    const people = new People();
    people.incidents = silenceBefore(at('12:10:00'), at('12:00:00'));
    people.isKilled = true;
    people.sweep(at('12:10:00'));
    people.isKilled = false;
    expect(people.sweep(at('12:11:00'))).toEqual(['closed silent the watchdog']);
    expect(people.sweep(at('12:12:00'))).toEqual([]);
  });
});
