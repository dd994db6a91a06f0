import { describe, expect, test } from 'vitest';
import { type Deployment, judgeEndpoint, judgeTable, judgeWatchdog } from '../../../lib/local/doctor/deployment.ts';
import { judgeLock, judgePort } from '../../../lib/local/doctor/judge-local-run.ts';
import { judgeClock, judgeDisk, judgeNode, judgeTimeZones } from '../../../lib/local/doctor/judge-machine.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const GB = 1024 ** 3;

test.each([
  ['v24.22.3', 'ok'],
  ['v26.0.0', 'ok'],
  ['v22.23.5', 'wrong'],
  ['v20.20.2', 'wrong'],
])('Node %s is %s', (version, status) => {
  expect(judgeNode(version)).toMatchObject({ status, found: expect.stringContaining(version) });
});

describe('disk', () => {
  test('enough', () => expect(judgeDisk({ folder: '/app', freeBytes: 2 * GB }).status).toBe('ok'));
  test('too little', () => {
    expect(judgeDisk({ folder: '/app', freeBytes: 0.1 * GB })).toMatchObject({
      status: 'wrong',
      found: '102 MB free in /app, at least 500 MB are needed',
    });
  });
  test('not writable', () => {
    expect(judgeDisk({ folder: '/app', freeBytes: GB, refusal: 'EROFS' })).toMatchObject({
      status: 'wrong',
      found: expect.stringContaining('EROFS'),
    });
  });
});

describe('time zones', () => {
  const zones = ['America/New_York', 'Europe/Berlin'];
  test.each([
    ['2026a', 'ok'],
    ['2025c', 'ok'],
    ['2024b', 'wrong'],
  ])('in 2026 the database %s is %s', (version, status) =>
    expect(judgeTimeZones(version, zones, NOW).status).toBe(status),
  );
  test('a Node without zones', () => expect(judgeTimeZones(undefined, ['UTC'], NOW).fix).toContain('full ICU'));
});

describe('clock', () => {
  const against = (skewMs: number) => judgeClock(NOW, '2026b', { source: 'aws', theirs: NOW - skewMs, ours: NOW });
  test('a second apart is as good as equal', () => expect(against(900).status).toBe('ok'));
  test('ahead', () =>
    expect(against(90_000)).toMatchObject({ status: 'wrong', found: 'the clock is 90 s ahead of that of aws' }));
  test('behind', () =>
    expect(against(-3_600_000)).toMatchObject({ status: 'wrong', found: 'the clock is 3,600 s behind that of aws' }));
  test('before the software was made, with nobody to compare with', () => {
    expect(judgeClock(Date.parse('1970-01-01T00:10:00Z'), '2026b', undefined).status).toBe('wrong');
    expect(judgeClock(NOW, '2026b', undefined)).toMatchObject({
      status: 'ok',
      found: expect.stringMatching(
        /; there was no other clock to compare it with \(--endpoint or --environment names one\)$/,
      ),
    });
  });
});

describe('lock and port', () => {
  const alive = { file: '.belfry/dev.lock', pid: 42, alive: true };
  const left = { file: '.belfry/dev.lock', pid: 42, alive: false };
  test('a lock of a run that lives is well', () => expect(judgeLock(alive).status).toBe('ok'));
  test('one that was left behind is told of, with the file to delete', () => {
    expect(judgeLock(left)).toMatchObject({
      status: 'wrong',
      found: expect.stringContaining('process 42'),
      fix: expect.stringContaining('delete .belfry/dev.lock'),
    });
  });
  test('a port that the dev run itself has is well, one of another program is not', () => {
    const taken = { port: 4747, refusal: 'EADDRINUSE' };
    expect(judgePort(taken, alive).status).toBe('ok');
    expect(judgePort(taken, left)).toMatchObject({ status: 'wrong', fix: expect.stringContaining('--port') });
    expect(judgePort({ port: 80, refusal: 'EACCES' }, undefined)).toMatchObject({
      status: 'wrong',
      found: '80 cannot be listened on (EACCES)',
    });
    expect(judgePort({ port: 4747, refusal: undefined }, undefined).status).toBe('ok');
  });
});

describe('what is deployed', () => {
  const emulator = 'http://127.0.0.1:4566';
  const aws = undefined;
  const watchdog = {
    prefix: 'billing',
    environment: 'prod',
    tableName: 'runs',
    jobsStacks: 'Billing',
    watchStack: 'BillingWatch',
  };
  const swept = (agoMs: number | undefined): Deployment => ({
    state: 'present',
    watchdog,
    sweptAt: agoMs === undefined ? undefined : NOW - agoMs,
  });

  test('each state of the table has its own fix', () => {
    expect(judgeTable({ state: 'absent', why: 'the watchdogs found here are of dev' }, emulator)).toMatchObject({
      found: expect.stringContaining('are of dev'),
      fix: expect.stringContaining('--prefix'),
    });
    expect(judgeTable({ state: 'tableMissing', watchdog }, aws)).toMatchObject({
      status: 'wrong',
      fix: expect.stringContaining('backup'),
    });
    expect(judgeTable({ state: 'unreachable', reason: 'no credentials' }, aws).fix).toContain('AWS_PROFILE');
    expect(judgeTable(swept(0), aws).status).toBe('ok');
  });

  test('a watchdog that has fallen silent is told of', () => {
    expect(judgeWatchdog(swept(90_000), aws, NOW).status).toBe('ok');
    expect(judgeWatchdog(swept(10 * 60_000), aws, NOW)).toMatchObject({
      status: 'wrong',
      found: expect.stringContaining('10 minutes ago'),
      // The names are the user's own, not those of the sample app.
      fix: expect.stringMatching(/billing-watchdog .* 'npx cdk deploy BillingWatch'/),
    });
    expect(judgeWatchdog(swept(undefined), emulator, NOW).fix).toContain('belfry drive');
    expect(judgeWatchdog({ state: 'unreachable', reason: '' }, aws, NOW).status).toBe('skipped');
  });

  test('an endpoint that is somebody else', () => {
    expect(judgeEndpoint('http://127.0.0.1:4566', { kind: 'unknown', firesItself: false })).toMatchObject({
      status: 'wrong',
      fix: expect.stringContaining('another program'),
    });
    expect(judgeEndpoint('http://127.0.0.1:4566', new Error('x'))).toMatchObject({
      status: 'wrong',
      found: 'nothing answers at http://127.0.0.1:4566',
    });
  });
});
