import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const COMMAND = resolve(import.meta.dirname, '../support/explain-cli.ts');

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function belfry(parameters: readonly string[], input = ''): Promise<Outcome> {
  const child = spawn(process.execPath, [COMMAND, 'explain', ...parameters], {
    env: { ...process.env, NO_COLOR: '1' },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.end(input);
  return new Promise((done) => child.on('close', (code) => done({ code, stdout, stderr })));
}

describe('belfry explain', () => {
  test.each([
    ['@every 7m', 'SurplusFirings', 'the function refuses 37,543 events a month'],
    ['at(2026-12-24T08:00:00)', 'TimePassed', 'at(2026-12-24T08:00:00) UTC has passed'],
  ])('says of %s what a deployment makes of it', async (expression, code, message) => {
    const from = ['--from', '2027-01-01T00:00:00Z', '--json'];
    const { stdout } = await belfry([expression, '--time-zone', 'UTC', ...from]);
    const { warningCodes, warnings } = JSON.parse(stdout);
    expect(warnings[warningCodes.indexOf(code)]).toContain(message);
  });

  test('answers in JSON where nobody looks', async () => {
    const { code, stdout, stderr } = await belfry([
      '30 2 * * *',
      ...['--time-zone', 'america/new_york', '--from', '2027-03-12T12:00:00Z', '--count', '2', '--gap', 'runAfter'],
    ]);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      expression: '30 2 * * *',
      timeZone: 'America/New_York',
      description: 'At 02:30',
      aws: ['cron(30 2 * * ? *)'],
      next: ['2027-03-13T07:30:00.000Z', '2027-03-14T07:00:00.000Z'],
      warnings: [expect.stringContaining('02:30 does not exist on 2027-03-14')],
      transitions: [
        {
          at: '2027-03-14T07:00:00.000Z',
          kind: 'gap',
          wallTimes: ['2027-03-14T02:30'],
          effect: 'runAfter',
          does: '02:30: runs at the first instant after the gap',
          supplements: ['2027-03-14T07:00:00.000Z'],
        },
        { at: '2028-03-12T07:00:00.000Z' },
        { at: '2029-03-11T07:00:00.000Z' },
        { at: '2030-03-10T07:00:00.000Z' },
      ],
      tzdata: process.versions.tz,
    });
  });

  test('several expressions mean their union', async () => {
    const { stdout } = await belfry(['0 8 * * 1-5', '0 8 * * 6', '--time-zone', 'UTC', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      expression: ['0 8 * * 1-5', '0 8 * * 6'],
      aws: ['cron(0 8 ? * 2-7 *)'],
    });
  });

  test.each<[string, string[], string]>([
    ['a bad expression', ['61 * * * *', '--time-zone', 'UTC'], "minute field '61': 61 is out of range"],
    ['an unknown zone', ['0 8 * * *', '--time-zone', 'Europe/Berln'], "did you mean 'Europe/Berlin'"],
    ['no zone', ['0 8 * * *'], '--time-zone is missing'],
    ['no expression', ['--time-zone', 'UTC'], 'no expression given'],
    ['an expression without quotes', ['0', '8', '1', '1', '1', '--time-zone', 'UTC'], 'put it in quotes'],
    ['a local time', ['0 8 * * *', '--time-zone', 'UTC', '--from', '2027-01-01T00:00'], 'write it with its offset'],
    ['too many', ['0 8 * * *', '--time-zone', 'UTC', '--count', '1e9'], "count '1e9' is out of range"],
  ])('%s is wrong input: exit code 2, nothing on stdout', async (_, parameters, message) => {
    const { code, stdout, stderr } = await belfry(parameters);
    expect(stderr).toContain(message);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });
});

describe('belfry explain --batch', () => {
  test('answers every line in order, whatever the lines before it', async () => {
    const lines = [
      { id: 'a', expr: '*/5 * * * *', tz: 'America/New_York', from: '2026-11-01T05:50:00.000Z', count: 3 },
      { id: 'b', expr: '61 * * * *', tz: 'UTC', from: '2026-01-01T00:00:00Z', count: 1 },
      'no json',
      [1],
      { id: 'c', expr: ['0 9 * * 1-5', '0 12 * * 6'], tz: 'UTC', from: '2026-01-01T00:00:00.000Z', count: 2 },
      { id: 'd', expr: '@every 7h', tz: 'UTC', from: '2026-01-01T00:00:00.000Z', count: 2 },
      { id: 'e', expr: '30 1 * * *', tz: 'Europe/London', from: '2026-10-25T00:00:00Z', count: 1, fold: 'second' },
      { id: 'f', expr: '0 0 * * *', tz: 'UTC', from: 'yesterday', count: 2 },
      { id: 'g', expr: '0 0 * * *', tz: 'UTC', from: '2026-01-01T00:00:00Z', count: -1 },
      { id: 'h', expr: '0 0 * * *', tz: 'UTC', from: '2026-01-01T00:00:00Z', gap: 'jump' },
      { id: 7, expr: null, tz: 'UTC' },
      { id: 8, expr: '0 0 * * *' },
      { id: 9, expr: 'x'.repeat(1_000_000), tz: 'UTC' },
      { id: 'i', expr: '@reboot', tz: 'UTC', from: '2026-01-01T00:00:00Z', count: 2 },
    ];
    const input = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    const { code, stdout, stderr } = await belfry(['--batch'], input);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(answers).toMatchObject([
      {
        id: 'a',
        ok: true,
        canonical: '*/5 * * * *',
        description: 'Every 5 minutes',
        aws: [{ expression: 'cron(0/5 * * * ? *)', timeZone: 'UTC' }],
        next: ['2026-11-01T05:55:00.000Z', '2026-11-01T06:00:00.000Z', '2026-11-01T06:05:00.000Z'],
        warnings: [{ code: 'ManyRuns' }, { code: 'IntervalInFold' }],
      },
      { id: 'b', ok: false, error: { code: 'IllegalField', message: expect.stringContaining("minute field '61'") } },
      { id: null, ok: false, error: { code: 'MalformedLine' } },
      { id: null, ok: false, error: { code: 'MalformedLine' } },
      { id: 'c', ok: true, canonical: ['0 9 * * 1-5', '0 12 * * 6'] },
      {
        id: 'd',
        ok: true,
        aws: [{ expression: 'rate(7 hours)', timeZone: 'UTC', startAt: '2026-01-01T07:00:00.000Z' }],
        next: ['2026-01-01T07:00:00.000Z', '2026-01-01T14:00:00.000Z'],
      },
      { id: 'e', ok: true, next: ['2026-10-25T01:30:00.000Z'] },
      { id: 'f', ok: false, error: { code: 'IllegalInstant' } },
      { id: 'g', ok: false, error: { code: 'IllegalOption' } },
      { id: 'h', ok: false, error: { code: 'IllegalOption' } },
      { id: 7, ok: false, error: { code: 'IllegalExpression' } },
      { id: 8, ok: false, error: { code: 'UnknownTimeZone' } },
      { id: 9, ok: false, error: { code: 'ExpressionTooLong' } },
      { id: 'i', ok: true, next: [], aws: [], warnings: [{ code: 'OnDeployment' }] },
    ]);
  });

  test('takes no expression beside it', async () => {
    const { code, stderr } = await belfry(['--batch', '0 8 * * *']);
    expect(code).toBe(2);
    expect(stderr).toContain("leave out '0 8 * * *'");
  });
});
