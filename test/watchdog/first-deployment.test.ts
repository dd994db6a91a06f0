import { beforeAll, expect, test } from 'vitest';
import { reportLines } from '../../lambdas/watchdog/report.ts';
import { AlarmEvaluator } from '../../lib/local/alarms/alarm-evaluator.ts';
import { readEmbeddedMetrics } from '../../lib/local/alarms/embedded-metrics.ts';
import type { AlarmResource } from '../../lib/local/assembly/resources.ts';
import { VirtualClock } from '../../lib/local/clock/virtual-clock.ts';
import { deployedAlarms } from '../support/deployed-alarms.ts';
import { stepTo } from '../support/step-clock.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');
let alarms: readonly AlarmResource[];
let scheduler: string;

beforeAll(() => {
  alarms = deployedAlarms();
  scheduler = String(alarms.find(({ metricName }) => metricName === 'WatchdogHeartbeat')?.dimensions.Scheduler);
}, 120_000);

/** The alarms are created at noon; sweeps take place from one minute to another. Returns each message, and its minute. */
function messages(seed: number, sweeps: { readonly from: number; readonly to: number }, minutes = 40): string[] {
  const clock = new VirtualClock({ from: NOON + 17_000 });
  clock.pause();
  clock.start();
  const sent: string[] = [];
  const evaluator = new AlarmEvaluator({
    clock,
    alarms,
    seed,
    onChange: () => {},
    onMessage: ({ alarm, state, at }) => sent.push(`${Math.floor((at - NOON) / MINUTE)} ${alarm.metricName} ${state}`),
  });
  evaluator.start();
  for (let minute = 0; minute < minutes; minute++) {
    const at = NOON + minute * MINUTE + 20_000;
    if (minute >= sweeps.from && minute < sweeps.to) {
      const report = { done: [], failed: [], findings: [], messages: [], examined: 0, sweptAt: at, moved: true };
      const lines = reportLines(report, { scheduler, startedAt: at, endedAt: at + 50 });
      for (const line of lines) for (const datum of readEmbeddedMetrics(JSON.parse(line))) evaluator.add(datum);
    }
    stepTo(clock, NOON + (minute + 1) * MINUTE);
  }
  evaluator.stop();
  return sent;
}

test('a first deployment sends nothing: no page before the first sweep, and nothing is well again', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    for (let from = 0; from <= 12; from++) expect(messages(seed, { from, to: 40 })).toEqual([]);
  }
});

test('a watchdog that never begins is told of when the warm-up is over', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const [first, ...others] = messages(seed, { from: 40, to: 40 });
    expect(['15', '16']).toContain(first?.split(' ')[0]);
    expect(first).toMatch(/WatchdogHeartbeat ALARM$/);
    expect(others).toEqual([]);
  }
});

test('alarms that are updated while all is well send nothing', () => {
  const clock = new VirtualClock({ from: NOON });
  clock.pause();
  clock.start();
  const sent: string[] = [];
  const evaluator = new AlarmEvaluator({
    clock,
    alarms,
    onChange: () => {},
    onMessage: ({ alarm, state }) => sent.push(`${alarm.name} ${state}`),
  });
  evaluator.start();
  const heartbeat = alarms.find(({ metricName }) => metricName === 'WatchdogHeartbeat');
  if (heartbeat === undefined) throw new Error('no alarm on the heartbeat');
  const { namespace, metricName: name, dimensions } = heartbeat;
  for (let minute = 0; minute < 30; minute++) {
    evaluator.add({ namespace, name, dimensions, value: 1, at: NOON + minute * MINUTE + 20_000 });
    if (minute === 15) evaluator.setAlarms(alarms.map((alarm) => ({ ...alarm })));
    stepTo(clock, NOON + (minute + 1) * MINUTE);
  }
  evaluator.stop();
  expect(sent).toEqual([]);
});
