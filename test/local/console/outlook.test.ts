import { expect, test } from 'vitest';
import type { OccurrenceKey } from '../../../lib/domain/contract/occurrence-key.ts';
import type { RunRecord } from '../../../lib/domain/run/run-record.ts';
import { OpenRuns } from '../../../lib/local/console/open-runs.ts';
import { Outlook } from '../../../lib/local/console/outlook.ts';
import { Told } from '../../../lib/local/console/told.ts';
import { jobDefinition } from '../../support/job-definition.ts';

const HOUR = 3_600_000;
const EVE = Date.parse('2026-10-31T12:00:00Z');

test('the outlook has a day of occurrences in each job’s own zone, across a change of its clock', () => {
  const outlook = new Outlook([
    jobDefinition({ name: 'dunning', schedule: '0 8 * * *', timeZone: 'America/New_York' }),
    jobDefinition({ name: 'hourly', schedule: '@hourly', timeZone: 'UTC' }),
  ]);
  const { dunning, hourly } = outlook.upcoming(EVE);
  expect(dunning?.map((at) => new Date(at).toISOString())).toEqual([]);
  expect(hourly).toHaveLength(24);
  expect(outlook.upcoming(EVE + 2 * HOUR).dunning).toEqual([Date.parse('2026-11-01T13:00:00Z')]);
  expect(outlook.changesAround(EVE)).toEqual([
    { timeZone: 'America/New_York', at: Date.parse('2026-11-01T06:00:00Z'), shiftMinutes: -60 },
  ]);
  expect(outlook.nextChanges(EVE + 24 * HOUR)).toEqual([
    { timeZone: 'America/New_York', at: Date.parse('2027-03-14T07:00:00Z'), shiftMinutes: 60 },
  ]);
});

test('a thousand jobs every minute do not become a million marks', () => {
  const jobs = Array.from({ length: 1_000 }, (_, index) =>
    jobDefinition({ name: `job-${index}`, schedule: '* * * * *', timeZone: 'UTC' }),
  );
  const upcoming = Object.values(new Outlook(jobs).upcoming(EVE));
  expect(upcoming).toHaveLength(1_000);
  expect(upcoming.every((instants) => instants.length === 24)).toBe(true);
});

test('open runs tell what moved once, until there is an outcome or nobody ever began', async () => {
  const records = new Map<number, RunRecord>();
  const asked: (readonly OccurrenceKey[])[] = [];
  const open = new OpenRuns(async (keys) => {
    asked.push(keys);
    return keys.flatMap(({ scheduledTime }) => records.get(scheduledTime) ?? []);
  });
  const record = (scheduledTime: number, status: RunRecord['status']) =>
    records.set(scheduledTime, {
      job: 'report',
      scheduledTime,
      status,
      fencingToken: 1,
      attempts: 1,
      trigger: 'schedule',
    });
  const moved = async (now: number) =>
    (await open.moved(now)).map(({ scheduledTime, status }) => [scheduledTime, status]);

  open.watch({ job: 'report', scheduledTime: 0 });
  open.watch({ job: 'report', scheduledTime: 60_000 });
  expect(await moved(0)).toEqual([]);
  record(0, 'running');
  expect(await moved(0)).toEqual([[0, 'running']]);
  expect(await moved(0)).toEqual([]);
  record(0, 'succeeded');
  expect(await moved(0)).toEqual([[0, 'succeeded']]);
  await moved(12 * 60_000);
  expect(asked.at(-1), 'the finished one is let go').toEqual([{ job: 'report', scheduledTime: 60_000 }]);
  await moved(12 * 60_000);
  expect(asked, 'and the one that never began, after a while').toHaveLength(5);
});

test('an occurrence to come that is skipped elsewhere is told of once', async () => {
  const skipped: RunRecord = {
    job: 'report',
    scheduledTime: 60_000,
    status: 'skipped',
    fencingToken: 0,
    attempts: 0,
    trigger: 'schedule',
  };
  const records: RunRecord[] = [];
  const open = new OpenRuns(async () => records);
  const next = [{ job: 'report', scheduledTime: 60_000 }];
  expect(await open.skippedAhead(next)).toEqual([]);
  records.push(skipped);
  expect(await open.skippedAhead(next)).toEqual([skipped]);
  expect(await open.skippedAhead(next)).toEqual([]);
});

test('the same is not told twice', () => {
  const told = new Told();
  expect(told.unlessTold('jobs', [])).toEqual({ jobs: [] });
  expect(told.unlessTold('jobs', [])).toEqual({});
  expect(told.unlessTold('alarms', [])).toEqual({ alarms: [] });
  expect(told.unlessTold('jobs', [{ name: 'a', schedule: '@daily', timeZone: 'UTC' }])).not.toEqual({});
});
