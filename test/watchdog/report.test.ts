import { describe, expect, test } from 'vitest';
import { reportLines } from '../../lambdas/watchdog/report.ts';
import type { SweepReport } from '../../lambdas/watchdog/sweep.ts';
import type { Incident } from '../../lib/domain/watch/incident.ts';
import { readEmbeddedMetrics } from '../../lib/local/alarms/embedded-metrics.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const SWEEP = { scheduler: 'test', startedAt: NOON, endedAt: NOON + 250 };
const key = { job: 'sync', scheduledTime: NOON };

function linesOf(report: Partial<SweepReport>, together?: ReadonlySet<string>): Record<string, unknown>[] {
  const quiet: SweepReport = {
    done: [],
    failed: [],
    findings: [],
    messages: [],
    examined: 0,
    sweptAt: NOON,
    moved: true,
  };
  const sweep = together === undefined ? SWEEP : { ...SWEEP, together };
  return reportLines({ ...quiet, ...report }, sweep).map((line) => JSON.parse(line));
}

function metricsOf(report: Partial<SweepReport>, together?: ReadonlySet<string>) {
  return linesOf(report, together)
    .flatMap((line) => [...readEmbeddedMetrics(line)])
    .map(({ name, dimensions, value }) => `${name} ${Object.values(dimensions).join('/')} ${value}`);
}

describe('what a sweep tells', () => {
  test('its own pulse, even when there is nothing to tell', () => {
    expect(metricsOf({})).toEqual(['WatchdogHeartbeat test 1']);
  });

  test('a missed occurrence, once in a line and once for each metric', () => {
    const report = { done: [{ type: 'recordMissed', key, cause: 'scheduleDisabled' }] } as const;
    expect(linesOf(report)[0]).toEqual({
      event: 'missed',
      level: 'error',
      job: 'sync',
      scheduledTime: '2026-06-01T12:00:00Z',
      cause: 'scheduleDisabled',
      at: '2026-06-01T12:00:00Z',
    });
    expect(metricsOf(report).filter((text) => text.startsWith('Missed'))).toEqual([
      'Missed test 1',
      'Missed test/sync 1',
    ]);
    expect(metricsOf(report, new Set(['sync']))).toEqual(['WatchdogHeartbeat test 1', 'Missed test 1']);
  });

  test('a redelivery with its reason', () => {
    const report = { done: [{ type: 'redeliver', key, trigger: 'schedule', reason: 'dead' }] } as const;
    expect(linesOf(report)[0]).toMatchObject({ event: 'redelivered', reason: 'dead', level: 'warn' });
  });

  test('what failed, as an error and a metric', () => {
    const action = { type: 'catchUp', key } as const;
    const lines = linesOf({ failed: [{ action, error: new Error('access denied') }] });
    expect(lines[0]).toMatchObject({ event: 'sweepActionFailed', level: 'error', error: 'Error: access denied' });
    expect(lines[1]).toMatchObject({ event: 'sweep', level: 'error', failed: 1 });
  });

  test('what the timing watch found, in a line and a metric', () => {
    const report = { findings: [{ kind: 'slow', key, observedMs: 400_000, limitMs: 360_000 }] } as const;
    expect(linesOf(report)[0]).toMatchObject({ event: 'timing', kind: 'slow', observedMs: 400_000, limitMs: 360_000 });
    expect(metricsOf(report).filter((text) => text.startsWith('Slow'))).toEqual(['Slow test 1', 'Slow test/sync 1']);
  });

  test('that a job is overdue, in each sweep while it is, and no longer', () => {
    const overdue = {
      job: 'sync',
      kind: 'overdue',
      id: 'overdue-1',
      since: NOON,
      scheduledTime: NOON,
      badAt: NOON,
      count: 1,
    } as const;
    const state = { sweptAt: NOON, lastAt: NOON, epochs: [], open: [], effectiveFrom: {}, pauses: {}, version: 1 };
    const gauges = (incidents: readonly Incident[]) =>
      metricsOf({ state: { ...state, incidents } }).filter((text) => text.startsWith('Overdue'));
    expect(gauges([overdue])).toEqual(['Overdue test 1', 'Overdue test/sync 1']);
    expect(gauges([{ ...overdue, wellSince: NOON }])).toEqual([]);
  });

  test('what people were told, and what could not be sent', () => {
    const incidents = Array.from({ length: 30 }, (_, n) => ({
      job: `job-${n}`,
      kind: 'late' as const,
      id: 'late-1',
      since: NOON,
      scheduledTime: NOON,
      badAt: NOON,
      count: 1,
    }));
    const message = { id: 'late-1', kind: 'late', change: 'opened', severity: 'warn', incidents } as const;
    const report = { messages: [{ message }, { message, error: new Error('no such topic') }] };
    const [told, untold] = linesOf(report);
    expect(told).toMatchObject({ event: 'told', incident: 'late-1', change: 'opened', count: 30 });
    expect(told?.jobs).toHaveLength(20);
    expect(untold).toMatchObject({ event: 'untold', level: 'error', error: 'Error: no such topic' });
    expect(metricsOf(report)).toContain('Untold test 1');
  });

  test('a run that the watchdog closes counts as failed: its attempt cannot tell any more', () => {
    const run = { ...key, status: 'running', fencingToken: 3, attempts: 3, trigger: 'schedule' } as const;
    expect(metricsOf({ done: [{ type: 'closeExhausted', run }] })).toContain('Failed test/sync 1');
  });

  test('what an outage left behind is summed up, and counted in full', () => {
    const done = Array.from({ length: 500 }, (_, minute) => ({
      type: 'recordMissed' as const,
      key: { job: 'sync', scheduledTime: NOON + minute * 60_000 },
      cause: 'unknown' as const,
    }));
    const lines = linesOf({ done });
    expect(lines.filter(({ event }) => event === 'missed')).toHaveLength(20);
    expect(lines.find(({ event }) => event === 'missedMore')).toMatchObject({
      job: 'sync',
      count: 480,
      from: '2026-06-01T12:20:00Z',
      to: '2026-06-01T20:19:00Z',
    });
    expect(metricsOf({ done })).toContain('Missed test/sync 500');
  });
});
