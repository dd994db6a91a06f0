import { describe, expect, test } from 'vitest';
import type { ConsoleJob, ConsoleRun } from '../../../lib/local/console/console-state.ts';
import { duration, offsetIn, shift, whenIn } from '../../../lib/local/console/page/format.ts';
import { planLane } from '../../../lib/local/console/page/lanes.ts';
import { changed, countRuns, lastRuns, latestRuns, modelOf, nextToRun } from '../../../lib/local/console/page/model.ts';
import { SampleSource } from './sample-source.ts';

const MINUTE = 60_000;

function run(job: string, scheduledTime: number, status: string): ConsoleRun {
  return { job, scheduledTime, status, attempts: 1, trigger: 'schedule' };
}

describe('a lane', () => {
  const minutely = Array.from({ length: 100 }, (_, minute) => ({
    scheduledTime: minute * MINUTE,
    status: 'succeeded',
  }));

  test('shows occurrences one by one where there is room', () => {
    expect(planLane(minutely, MINUTE)).toHaveLength(100);
  });

  test('runs those together that are too close, and keeps one failure among them apart', () => {
    const withFailure = minutely.map((one, index) => (index === 40 ? { ...one, status: 'failed' } : one));
    expect(planLane(withFailure, 2 * MINUTE)).toEqual([
      { from: 0, to: 39 * MINUTE, status: 'succeeded', count: 40 },
      { from: 40 * MINUTE, to: 40 * MINUTE, status: 'failed', count: 1 },
      { from: 41 * MINUTE, to: 99 * MINUTE, status: 'succeeded', count: 59 },
    ]);
  });

  test('does not mind the order in which they come', () => {
    expect(planLane(minutely.toReversed(), 2 * MINUTE)).toEqual(planLane(minutely, 2 * MINUTE));
  });
});

describe('the model', () => {
  test('takes in what changed and keeps the rest', async () => {
    const model = modelOf(await new SampleSource().state());
    const [first] = model.runs.values();
    const next = changed(model, { runs: [{ ...(first as ConsoleRun), status: 'failed' }] });
    expect(next.runs.size).toBe(model.runs.size);
    expect(countRuns(next.runs.values()).failed).toBe(countRuns(model.runs.values()).failed + 1);
    expect(next.jobs).toBe(model.jobs);
  });

  test('forgets runs that are more than a day old', async () => {
    const model = modelOf(await new SampleSource().state());
    const now = model.clock.now + 12 * 60 * MINUTE;
    const next = changed(model, { clock: { ...model.clock, now } });
    expect(next.runs.size).toBeLessThan(model.runs.size);
    expect(Math.min(...[...next.runs.values()].map(({ scheduledTime }) => scheduledTime))).toBeGreaterThanOrEqual(
      now - 24 * 60 * MINUTE,
    );
  });

  test('knows what was skipped ahead: it is neither what runs next nor what happened last', async () => {
    const model = modelOf(await new SampleSource().state());
    const job = model.jobs.find(({ name }) => name === 'usage-report') as ConsoleJob;
    const next = job.next as number;
    expect(nextToRun(model, job)).toBe(next);
    const skipping = changed(model, { runs: [run('usage-report', next, 'skipped')] });
    expect(nextToRun(skipping, job)).toBe(next + 60 * MINUTE);
    expect(nextToRun({ ...skipping, upcoming: {} }, job)).toBeUndefined();
    const { now } = model.clock;
    expect(lastRuns(skipping.runs.values(), now).get('usage-report')?.scheduledTime).toBeLessThan(now);
    expect(lastRuns(skipping.runs.values(), next).get('usage-report')?.scheduledTime).toBe(next);
  });

  test('counts a time-out as a failure and lists the newest first', () => {
    const runs = [run('a', 1, 'timedOut'), run('b', 3, 'succeeded'), run('c', 2, 'pending')];
    expect(countRuns(runs)).toEqual({ succeeded: 1, failed: 1, missed: 0, skipped: 0, running: 0, pending: 1 });
    expect(latestRuns(runs, 2).map(({ job }) => job)).toEqual(['b', 'c']);
    const many = Array.from({ length: 5_000 }, (_, index) =>
      run(`job-${index % 10}`, (index * 7_919) % 5_000, 'succeeded'),
    );
    expect(latestRuns(many, 3).map(({ scheduledTime }) => scheduledTime)).toEqual([4_999, 4_998, 4_997]);
    expect(lastRuns(many, 5_000).size).toBe(10);
    expect(Math.max(...[...lastRuns(many, 5_000).values()].map(({ scheduledTime }) => scheduledTime))).toBe(4_999);
  });
});

describe('words', () => {
  test.each([
    [0, '0 ms'],
    [850, '850 ms'],
    [1_240, '1.2 s'],
    [59_400, '59 s'],
    [245_000, '4 min 05 s'],
    [7_800_000, '2 h 10 min'],
    [259_200_000, '3 days'],
  ])('%i ms are %s', (ms, text) => expect(duration(ms)).toBe(text));

  test('a time carries its day only where it is another one in that zone', () => {
    const now = Date.parse('2026-10-31T23:14:00Z');
    expect(whenIn('UTC', Date.parse('2026-10-31T08:00:00Z'), now)).toBe('08:00');
    expect(whenIn('UTC', Date.parse('2026-11-01T08:00:00Z'), now)).toBe('Sun 1 Nov 08:00');
    expect(whenIn('Asia/Tokyo', Date.parse('2026-10-31T16:00:00Z'), now)).toBe('01:00');
  });

  test('offsets follow the zone through its changes', () => {
    expect(offsetIn('America/New_York', Date.parse('2026-11-01T05:59:00Z'))).toBe(-240);
    expect(offsetIn('America/New_York', Date.parse('2026-11-01T06:00:00Z'))).toBe(-300);
    expect(offsetIn('Asia/Kolkata', 0)).toBe(330);
    expect(offsetIn('UTC', 0)).toBe(0);
  });

  test('changes of the clock', () => {
    const change = { timeZone: 'Australia/Lord_Howe', at: 0 };
    expect(shift({ ...change, shiftMinutes: 30 })).toBe('clocks go forward 30 min');
    expect(shift({ ...change, shiftMinutes: -60 })).toBe('clocks go back 1 h');
  });
});
