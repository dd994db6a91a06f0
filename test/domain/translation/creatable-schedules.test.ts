import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSchedule } from '../../../lib/domain/schedule/parse-schedule.ts';
import type { AwsSchedule } from '../../../lib/domain/translation/aws-schedule.ts';
import { creatableSchedules, TIME_TO_DEPLOY_MS } from '../../../lib/domain/translation/creatable-schedules.ts';
import { translateSchedule } from '../../../lib/domain/translation/translate-schedule.ts';
import { bruteForceFirings } from '../../support/brute-force-matcher.ts';

const MINUTE_MS = 60_000;
const NOW = Date.parse('2026-11-29T00:00:00Z');

/** What EventBridge Scheduler says when a schedule is created, by its own clock. */
function createSchedule({ expression, timeZone, startAt }: AwsSchedule, clock: number): void {
  const [, wall] = /^at\((.*)\)$/.exec(expression) ?? [];
  if (wall !== undefined && timeZone !== 'UTC') throw new Error(`the test reads UTC only: ${expression} ${timeZone}`);
  if (wall !== undefined && Date.parse(`${wall}Z`) <= clock) throw new Error(`ValidationException: ${expression}`);
  if (startAt !== undefined && startAt < clock - 5 * MINUTE_MS) throw new Error('ValidationException: StartDate');
}

test('whatever is deployed within a quarter of an hour is taken, and no time to come is forgotten', () => {
  const at = fc
    .integer({ min: -40, max: 40 })
    .map((minutes) => `at(${new Date(NOW + minutes * MINUTE_MS).toISOString().slice(0, 19)})`);
  const others = fc.constantFrom(
    '@every 7h',
    '@every 5m',
    '0 8 * * *',
    'cron(0 8 1 1 ? 2020-2026)',
    'rate(11 minutes)',
  );
  const list = fc.uniqueArray(fc.oneof(at, others), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(list, fc.integer({ min: 0, max: TIME_TO_DEPLOY_MS - 1 }), (expressions, took) => {
      const schedule = parseSchedule(expressions, { timeZone: 'UTC' });
      const { creatable, passed, tooNear } = creatableSchedules(translateSchedule(schedule), NOW);
      for (const one of creatable) createSchedule(one, NOW + took);
      for (const { expression } of tooNear) expect(expression).toMatch(/^at\(/);
      for (const { expression } of passed) expect(expression).toMatch(/^at\(|20-2026\)$/);
      const oneTime = [...creatable, ...tooNear].filter(({ expression }) => expression.startsWith('at('));
      const kept = oneTime.map(({ expression }) => Date.parse(`${expression.slice(3, -1)}Z`));
      const repeated = creatable.filter(({ expression }) => !expression.startsWith('at('));
      const to = NOW + 60 * MINUTE_MS;
      const due = [...schedule.between(NOW, to)];
      const fired = repeated.flatMap(({ everyMs, ...fires }) =>
        bruteForceFirings([fires], NOW, to).filter((instant) => instant % (everyMs ?? 1) === 0),
      );
      expect([...new Set([...kept, ...fired])].sort((one, other) => one - other)).toEqual(due);
    }),
  );
});
