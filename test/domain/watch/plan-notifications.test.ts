import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Incident,
  type JobSignal,
  type Notification,
  planNotifications,
} from '../../../lib/domain/watch/plan-notifications.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.parse('2026-06-01T12:00:00Z');

/** Hour by hour: what became of the occurrence of that hour. Returns what was told, and when. */
function story(kinds: readonly (JobSignal['kind'] | undefined)[], remindMs?: number): string[] {
  let incidents: Readonly<Record<string, Incident>> = {};
  return kinds.flatMap((kind, hour) => {
    const now = NOON + hour * HOUR;
    const signals = kind === undefined ? [] : [{ job: 'sync', scheduledTime: now - MINUTE, kind }];
    const plan = planNotifications(incidents, signals, now, remindMs);
    incidents = plan.incidents;
    return plan.notifications.map(({ change, severity }) => `${hour} ${change} ${severity}`);
  });
}

describe('planNotifications', () => {
  test('tells when a job stops being well, and when it is well again', () => {
    expect(story(['succeeded', 'failed', 'succeeded', 'succeeded'])).toEqual(['1 opened ticket', '2 recovered ticket']);
  });

  test('tells once of what goes on', () => {
    expect(story(['failed', 'failed', 'failed', undefined, 'failed', 'succeeded'])).toEqual([
      '0 opened ticket',
      '5 recovered ticket',
    ]);
  });

  test('tells when it gets worse, not when it gets better', () => {
    expect(story(['missed', 'failed', 'overdue', 'missed', 'failed'])).toEqual([
      '0 opened warn',
      '1 escalated ticket',
      '2 escalated page',
    ]);
  });

  test('reminds as long as it goes on, from when it last told', () => {
    const long = ['failed', ...Array.from({ length: 8 }, () => undefined), 'succeeded', undefined, undefined] as const;
    expect(story(long, 3 * HOUR)).toEqual([
      '0 opened ticket',
      '3 reminder ticket',
      '6 reminder ticket',
      '9 recovered ticket',
    ]);
  });

  test('a success of before does not end what went wrong after it', () => {
    const failed = planNotifications({}, [{ job: 'sync', scheduledTime: NOON, kind: 'failed' }], NOON, undefined);
    const late = [{ job: 'sync', scheduledTime: NOON - HOUR, kind: 'succeeded' }] as const;
    expect(planNotifications(failed.incidents, late, NOON, undefined)).toEqual({
      notifications: [],
      incidents: failed.incidents,
    });
  });

  test('what went wrong and right again between two looks is not told of', () => {
    const both = (['failed', 'succeeded'] as const).map((kind, index) => ({
      job: 'sync',
      scheduledTime: NOON + index,
      kind,
    }));
    expect(planNotifications({}, both, NOON, undefined)).toEqual({ notifications: [], incidents: {} });
  });

  test('jobs are told of apart', () => {
    const signals = ['one', 'two'].map((job) => ({ job, scheduledTime: NOON, kind: 'failed' as const }));
    const { notifications } = planNotifications({}, signals, NOON, undefined);
    expect(notifications.map(({ job }) => job)).toEqual(['one', 'two']);
  });

  test('whatever happens: opened and recovered take turns, and nothing is told twice without a change', () => {
    const kind = fc.constantFrom(undefined, 'succeeded', 'failed', 'timedOut', 'missed', 'overdue') as fc.Arbitrary<
      JobSignal['kind'] | undefined
    >;
    fc.assert(
      fc.property(fc.array(kind, { maxLength: 60 }), (kinds) => {
        const told = story(kinds).map((text) => text.split(' ')[1] as Notification['change']);
        let isOpen = false;
        let escalations = 0;
        for (const change of told) {
          if (change === 'opened') {
            expect(isOpen).toBe(false);
            escalations = 0;
          } else {
            expect(isOpen).toBe(true);
          }
          if (change === 'escalated') expect(++escalations).toBeLessThanOrEqual(2);
          isOpen = change !== 'recovered';
        }
      }),
    );
  });
});
