import { describe, expect, test } from 'vitest';
import {
  alarmName,
  assertPrefix,
  dashboardName,
  eventBusName,
  fleetFunctionName,
  functionName,
  imageFunctionName,
  isFunctionOf,
  isManifestPart,
  lifecycleFunctionName,
  manifestPartNames,
  prefixOfWatchdog,
  scheduleGroup,
  scheduleName,
  usualPrefix,
  wakeUpName,
  watchdogFunctionName,
  watchdogScheduleGroup,
  watchdogScheduleName,
} from '../../lib/domain/contract/names.ts';

const LONGEST_JOB = 'a'.repeat(48);
const PREFIXES = ['a', 'billing', usualPrefix('x'.repeat(128)), usualPrefix('y'.repeat(128)), 'A'.repeat(32)];
const JOBS = ['a', 'sync', `${LONGEST_JOB}`, `${'a'.repeat(47)}b`];

describe('names', () => {
  test('fit what Lambda takes, whatever the prefix and the job', () => {
    const names = PREFIXES.flatMap((prefix) => [
      watchdogFunctionName(prefix),
      lifecycleFunctionName(prefix),
      ...JOBS.flatMap((job) => [
        functionName(prefix, job),
        fleetFunctionName(prefix, job, 99),
        imageFunctionName(prefix, job),
      ]),
    ]);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9-_]{1,64}$/);
    expect(new Set(names).size).toBe(names.length);
  });

  test('fit what EventBridge Scheduler takes', () => {
    const schedules = PREFIXES.flatMap((prefix) => [
      ...manifestPartNames(prefix, 1),
      ...manifestPartNames(prefix, 100),
      watchdogScheduleName(prefix),
      ...JOBS.flatMap((job) => [0, 1, 19].map((index) => scheduleName(prefix, job, index))),
    ]);
    const groups = PREFIXES.flatMap((prefix) => [scheduleGroup(prefix), watchdogScheduleGroup(prefix)]);
    const wakeUp = wakeUpName(LONGEST_JOB, Date.UTC(2037, 0), 'r123456');
    for (const name of [...schedules, ...groups, wakeUp]) expect(name).toMatch(/^[0-9a-zA-Z-_.]{1,64}$/);
    expect(new Set(schedules).size).toBe(schedules.length);
    expect(new Set(groups).size).toBe(groups.length);
  });

  test('that were cut are covered by the prefix still, and differ where the whole names do', () => {
    const [prefix = ''] = PREFIXES.slice(2);
    expect(isFunctionOf(prefix, functionName(prefix, LONGEST_JOB))).toBe(true);
    expect(functionName(prefix, LONGEST_JOB)).toMatch(/-[0-9a-f]{8}$/);
    expect(functionName(prefix, LONGEST_JOB)).not.toBe(functionName(prefix, JOBS[3] ?? ''));
  });

  test('of one prefix are never those of another that goes on with a hyphen', () => {
    expect(isFunctionOf('app', functionName('app-jobs', 'sync'))).toBe(false);
    expect(functionName('app', 'jobs-sync')).not.toBe(functionName('app-jobs', 'sync'));
    expect(watchdogScheduleGroup('app')).not.toBe(scheduleGroup('app-watchdog'));
  });

  test('say what they are the names of', () => {
    expect(prefixOfWatchdog(watchdogFunctionName('app-jobs'))).toBe('app-jobs');
    expect(prefixOfWatchdog('app_sync')).toBeUndefined();
    expect([...manifestPartNames('app', 1), ...manifestPartNames('app', 2)].every(isManifestPart)).toBe(true);
    expect(isManifestPart(scheduleName('app', 'manifest', 0))).toBe(false);
    expect([alarmName('app', 'Failed'), eventBusName('app'), dashboardName('app', 'eu-west-1')]).toEqual([
      'app-Failed',
      'app-runs',
      'app-eu-west-1',
    ]);
  });
});

describe('a prefix', () => {
  test('is the stack’s name, cut to 32 characters with a hash of the whole', () => {
    expect(usualPrefix('belfry-prod-jobs')).toBe('belfry-prod-jobs');
    expect(usualPrefix('a-company-wide-platform-for-scheduled-work')).toMatch(/^a-company-wide-platform-[0-9a-f]{8}$/);
    for (const prefix of PREFIXES) expect(() => assertPrefix(prefix)).not.toThrow();
  });

  test.each(['', '1st', 'with_underscore', 'with.dot', 'über', 'x'.repeat(33)])('%j is not allowed', (prefix) => {
    expect(() => assertPrefix(prefix)).toThrow(expect.objectContaining({ code: 'IllegalPrefix' }));
  });
});
