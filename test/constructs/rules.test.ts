import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { Duration } from 'aws-cdk-lib/core';
import { describe, expect, test } from 'vitest';
import { FleetJob } from '../../lib/constructs/fleet-job.ts';
import { JobFleet } from '../../lib/constructs/job-fleet.ts';
import { JOB_RULES } from '../../lib/constructs/rules/job-rules.ts';
import { ScheduledJob, type ScheduledJobProps } from '../../lib/constructs/scheduled-job.ts';
import type { OverlapPolicy } from '../../lib/domain/job.ts';
import { schedulerApp } from './scheduler-app.ts';

const SOUND: ScheduledJobProps = { schedule: '0 8 * * *', timeZone: 'UTC', entry: 'job.ts' };

/** For each rule of severity error: a job that breaks it and nothing else, and what is said of it. */
const ERRORS: Record<string, [Partial<ScheduledJobProps>, RegExp]> = {
  NeverDue: [
    { schedule: 'cron(30 2 14 3 ? 2027)', timeZone: 'America/New_York' },
    /schedule 'cron\(30 2 14 3 \? 2027\)' has no occurrence at all/,
  ],
  UnknownPolicy: [
    { overlap: 'queue' as OverlapPolicy },
    /overlap is 'queue', allowed are skip, bufferOne, cancelOther, allow/,
  ],
  TimeoutTooLong: [{ timeout: Duration.minutes(16) }, /timeout is 16 minutes, allowed are at most 15 minutes/],
  TimeoutTooShort: [{ timeout: Duration.seconds(9) }, /timeout is 9 seconds, allowed are at least 10 seconds/],
  UnevenStartGrace: [{ startGrace: Duration.seconds(90) }, /startGrace is 90 seconds, allowed are whole minutes/],
  ExpectedDurationTooLong: [
    { timeout: Duration.minutes(1), expectedDuration: Duration.seconds(61) },
    /expectedDuration is 61 seconds, but it is stopped after 1 minute/,
  ],
  MinimumDurationTooLong: [
    { expectedDuration: Duration.seconds(30), minimumDuration: Duration.seconds(30) },
    /minimumDuration is 30 seconds, it must be below expectedDuration, 30 seconds/,
  ],
  TooFewSegments: [{ maxSegments: 0 }, /maxSegments is 0, it must be a whole number of at least 1/],
  TooFewAttempts: [{ retry: { maxAttempts: 0 } }, /retry\.maxAttempts is 0, it must be a whole number of at least 1/],
  RetryDelaysReversed: [
    { retry: { initialDelay: Duration.hours(1) } },
    /retry\.initialDelay is 1 hour, above retry\.maxDelay, 30 minutes/,
  ],
  CatchUpWithoutRuns: [{ catchUp: { maxRuns: 0 } }, /catchUp\.maxRuns is 0/],
  ReservedVariable: [{ environment: { AWS_REGION: 'x' } }, /environment sets AWS_REGION/],
  IllegalVariableName: [{ environment: { 'MY-VAR': 'x' } }, /environment sets 'MY-VAR': names have at least two/],
  VariablesTooLarge: [{ environment: { TEXT: 'x'.repeat(4000) } }, /take \d+ bytes, of 4,096 that Lambda allows/],
  MemoryOutOfRange: [{ memorySize: 64 }, /memorySize is 64, allowed are whole numbers of MiB from 128 to 10240/],
  RenamedFromItself: [{ renamedFrom: 'dunning' }, /renamedFrom is its own name/],
};

/** For each rule of severity warning or note. */
const ADVICE: Record<string, [Partial<ScheduledJobProps>, string]> = {
  TimePassed: [
    { schedule: 'at(2020-01-01T00:00:00)' },
    'at\\(2020-01-01T00:00:00\\) UTC has passed, .* will not run again by itself',
  ],
  TimeTooNear: [
    { schedule: 'at(2026-11-29T00:10:00)' },
    'at\\(2026-11-29T00:10:00\\) UTC is less than 15 minutes away, .* the watchdog starts it',
  ],
  ManySchedules: [
    { schedule: Array.from({ length: 25 }, (_, day) => `${2 * day} ${day % 24} ${day + 1} ${(day % 12) + 1} *`) },
    'EventBridge needs \\d+ schedules',
  ],
  UnevenInterval: [
    { schedule: '@every 7m' },
    'interval does not divide the day.* refuses 37,543 events a month.* cost 0\\.05 USD',
  ],
  ClockChange: [{ schedule: '30 2 * * *', timeZone: 'America/New_York' }, 'does not exist on 2027-03-14'],
  CatchUpOfOne: [
    { catchUp: { policy: 'latest', maxRuns: 3 } },
    "catchUp\\.maxRuns is 3, but policy 'latest' starts one",
  ],
  CatchUpTooYoung: [
    { catchUp: { maxAge: Duration.seconds(30) } },
    'catchUp\\.maxAge is 30 seconds, but nothing is caught up',
  ],
  IntervalShorterThanTimeout: [{ schedule: '* * * * *', overlap: 'allow' }, 'due every 1 minute and may run 5 minutes'],
  RetriesOutlastInterval: [
    { schedule: '*/5 * * * *', retry: { maxAttempts: 10 } },
    "retries may wait \\d+ (seconds|minutes) in all, and it is due every 5 minutes with overlap 'skip'",
  ],
};

/** Rules that need more than one job to break: their tests are elsewhere, or below. */
const SET_APART = ['TimeoutAboveFleet'];

test('each rule is tried', () => {
  const tried = [...Object.keys(ERRORS), ...Object.keys(ADVICE), ...SET_APART].sort();
  expect(JOB_RULES.map(({ code }) => code).sort()).toEqual(tried);
});

test('a sound job breaks none', () => {
  const { stack, scheduler } = schedulerApp();
  new ScheduledJob(scheduler, 'dunning', SOUND);
  expect(Annotations.fromStack(stack).findWarning('*', Match.anyValue())).toEqual([]);
  expect(Annotations.fromStack(stack).findInfo('*', Match.anyValue())).toEqual([]);
});

describe('errors', () => {
  test.each(Object.entries(ERRORS))('%s', (code, [props, message]) => {
    const { scheduler } = schedulerApp();
    const declare = () => new ScheduledJob(scheduler, 'dunning', { ...SOUND, ...props });
    expect(declare).toThrow(expect.objectContaining({ code, name: code, message: expect.stringMatching(message) }));
    expect(declare).toThrow(/^job 'dunning': /);
  });

  test('TimeoutAboveFleet', () => {
    const { scheduler } = schedulerApp();
    const fleet = new JobFleet(scheduler, 'tenant', { timeout: Duration.minutes(1) });
    expect(() => new FleetJob(fleet, 'slow', { ...SOUND, entry: 'job.ts', timeout: Duration.minutes(2) })).toThrow(
      expect.objectContaining({ code: 'TimeoutAboveFleet' }),
    );
  });
});

describe('warnings and notes', () => {
  test.each(Object.entries(ADVICE))('%s', (code, [props, message]) => {
    const { stack, scheduler } = schedulerApp();
    new ScheduledJob(scheduler, 'dunning', { ...SOUND, ...props });
    const annotations = Annotations.fromStack(stack);
    const pattern = Match.stringLikeRegexp(message);
    if (JOB_RULES.find((rule) => rule.code === code)?.severity === 'note') annotations.hasInfo('*', pattern);
    else annotations.hasWarning('*', pattern);
  });
});

describe('docs/rules.md', () => {
  const root = join(import.meta.dirname, '..', '..');
  const page = readFileSync(join(root, 'docs', 'rules.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([A-Z]\w+)` \|/gm)].map(([, code = '']) => code);

  function sources(folder: string): string[] {
    return readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? sources(path) : [path];
    });
  }

  test('lists every rule, every error of the constructs and the stacks and what plan tells of updates, and no other', () => {
    const thrown = ['constructs', 'stacks']
      .flatMap((room) => sources(join(root, 'lib', room)))
      .flatMap((path) => [
        ...readFileSync(path, 'utf8').matchAll(/new BelfryError\(\s*'(\w+)'|'(Missing\w+File|MissingFile)'\)/g),
      ])
      .map(([, code, passed]) => code ?? passed ?? '');
    const ofUpdates = sources(join(root, 'lib/domain/update')).flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/\brule: '(\w+)'/g)].map(([, code = '']) => code),
    );
    const known = new Set([
      ...thrown,
      ...ofUpdates,
      ...JOB_RULES.map(({ code }) => code),
      'IllegalJobName',
      'IllegalPrefix',
      'UnknownJobOverride',
      'JobGone',
      'JobNotListed',
      'StacksChanged',
      'VariablesNotSet',
      'AlarmOfNoJob',
      'TooManyResources',
      'TooManyOutputs',
      'TemplateTooLarge',
      'ManyRoles',
      'NobodyIsTold',
    ]);
    expect(new Set(listed)).toEqual(known);
    expect(listed.length).toBe(new Set(listed).size);
  });

  test('says of each rule how severe it is', () => {
    for (const { code, severity } of JOB_RULES) {
      expect(page).toMatch(new RegExp(`^\\| \`${code}\` \\| ${severity} \\|`, 'm'));
    }
  });
});
