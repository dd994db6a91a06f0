import { afterEach, beforeEach, expect, test } from 'vitest';
import { Emulator } from '../local/drive/emulator.ts';
import { belfry } from './belfry.ts';

let emulator: Emulator;

beforeEach(async () => {
  emulator = await Emulator.start();
});

afterEach(() => emulator.close());

test('fires what is due and says so, one JSON object a line', async () => {
  const due = new Date(Date.now() + 2_000).toISOString().slice(0, 19);
  emulator.put('soon', {
    ScheduleExpression: `at(${due})`,
    ActionAfterCompletion: 'DELETE',
    Input: '{"at":"<aws.scheduler.scheduled-time>"}',
  });
  const { code, stdout } = await belfry(['drive', '--endpoint', emulator.url, '--duration', '4s', '--json']);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly type: string });
  expect(code).toBe(0);
  expect(lines.map(({ type }) => type)).toEqual(['watching', 'fired', 'stopped']);
  expect(lines[1]).toMatchObject({ schedule: 'jobs/soon', scheduledTime: `${due}Z` });
  expect(emulator.invocations).toEqual([expect.objectContaining({ type: 'Event', payload: { at: `${due}Z` } })]);
  expect(emulator.names).toEqual([]);
});

test('shows people what it drives', async () => {
  emulator.put('dunning', {
    ScheduleExpression: 'cron(0 8 ? * 2-6 *)',
    ScheduleExpressionTimezone: 'America/New_York',
  });
  const { code, stdout } = await belfry(['drive', '--endpoint', emulator.url, '--duration', '100ms']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/driving 1 schedule of http.*\n[\s\S]*jobs\/dunning .*America\/New_York/);
});

test('refuses to drive AWS itself, as wrong usage', async () => {
  const { code, stdout, stderr } = await belfry(['drive', '--endpoint', 'https://scheduler.us-east-1.amazonaws.com']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('AWS itself');
});

test('exits with 1 where nothing answers', async () => {
  const { url } = emulator;
  emulator.close();
  const { code, stderr } = await belfry(['drive', '--endpoint', url]);
  expect(code).toBe(1);
  expect(stderr).toContain('nothing answers');
});
