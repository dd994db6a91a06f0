import { describe, expect, test } from 'vitest';
import { definitionHistory } from '../../../lib/domain/verify/definition-history.ts';
import { JobCheck, type LedgerRow, reconcileRenamed } from '../../../lib/domain/verify/job-check.ts';
import type { Epoch, RosterEntry } from '../../../lib/domain/watch/watch-state.ts';
import { jobDefinition } from '../../support/job-definition.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const at = (minutes: number) => NOON + minutes * MINUTE;

const WINDOW = { from: at(0), to: at(60), now: at(120) };

function row(minutes: number, overrides: Partial<LedgerRow> = {}): LedgerRow {
  const scheduledTime = at(minutes);
  return {
    scheduledTime,
    key: `R#${minutes}`,
    status: 'succeeded',
    trigger: 'schedule',
    updatedAt: scheduledTime,
    ...overrides,
  };
}

function everyMinute(from: number, to: number): LedgerRow[] {
  return Array.from({ length: to - from + 1 }, (_, index) => row(from + index));
}

function check(
  rosters: readonly (readonly [Epoch, readonly RosterEntry[]])[],
  rows: Record<string, LedgerRow[]>,
  window = WINDOW,
) {
  const histories = definitionHistory(
    rosters.map(([epoch]) => epoch),
    (digest) => rosters.find(([{ roster }]) => roster === digest)?.[1] ?? [],
  );
  const checks = histories.map((history) => {
    const one = new JobCheck(history, window);
    one.page(rows[history.job] ?? []);
    one.end();
    return one;
  });
  return reconcileRenamed(checks).map(
    ({ kind, job, scheduledTime }) =>
      `${kind} ${job} ${scheduledTime === undefined ? '?' : (scheduledTime - NOON) / MINUTE}`,
  );
}

const ONCE: readonly [Epoch, readonly RosterEntry[]] = [{ roster: 'a', from: at(0), before: at(0) }, [jobDefinition()]];

describe('a job that never changed', () => {
  test('is proved by one row for each occurrence', () => {
    expect(check([ONCE], { sync: everyMinute(1, 60) })).toEqual([]);
  });

  test('each row that is taken away is named, and only that', () => {
    for (const gone of [1, 30, 60]) {
      const rows = everyMinute(1, 60).filter(({ key }) => key !== `R#${gone}`);
      expect(check([ONCE], { sync: rows })).toEqual([`hole sync ${gone}`]);
    }
  });

  test('a second row for an instant is named', () => {
    const rows = [...everyMinute(1, 30), row(30, { key: 'R#30 again' }), ...everyMinute(31, 60)];
    expect(check([ONCE], { sync: rows })).toEqual(['double sync 30']);
  });

  test('a row at another instant is named', () => {
    const rows = [...everyMinute(1, 30), row(30.5), ...everyMinute(31, 60)];
    expect(check([ONCE], { sync: rows })).toEqual(['double sync 30.5']);
  });

  test('a row whose key names no instant is named', () => {
    const rows = [
      ...everyMinute(1, 60),
      { key: 'R#yesterday', scheduledTime: undefined, status: 'succeeded', trigger: 'schedule' } as const,
    ];
    expect(check([ONCE], { sync: rows })).toEqual(['double sync ?']);
  });

  test.each([
    { trigger: 'manual' },
    { trigger: 'backfill' },
    { status: 'skipped', cause: 'excluded' },
    { status: 'skipped', cause: 'superseded' },
  ] as const)('a row beyond the schedule is right with $trigger$cause', (overrides) => {
    const rows = [...everyMinute(1, 30), row(30.5, overrides), ...everyMinute(31, 60)];
    expect(check([ONCE], { sync: rows })).toEqual([]);
  });

  test('what was excluded and is due is named: it did not happen', () => {
    const rows = everyMinute(1, 60).map((one) =>
      one.key === 'R#5' ? { ...one, status: 'skipped' as const, cause: 'excluded' } : one,
    );
    expect(check([ONCE], { sync: rows })).toEqual(['hole sync 5']);
  });

  test('what has no outcome for more than a day is named', () => {
    const rows = everyMinute(1, 60).map((one) => (one.key === 'R#5' ? { ...one, status: 'running' as const } : one));
    expect(check([ONCE], { sync: rows })).toEqual([]);
    const later = { ...WINDOW, now: at(5 + 24 * 60 + 1) };
    expect(check([ONCE], { sync: rows }, later)).toEqual(['unfinished sync 5']);
  });

  test("what became due a moment ago is still the scheduler's and the watchdog's", () => {
    const window = { from: at(0), to: at(60), now: at(60) };
    expect(check([ONCE], { sync: everyMinute(1, 56) }, window)).toEqual([]);
    expect(check([ONCE], { sync: everyMinute(1, 55) }, window)).toEqual(['hole sync 56']);
  });
});

describe('across a deployment', () => {
  const hourly = jobDefinition({ schedule: '*/10 * * * *', revision: 'r2' });
  const change: readonly [Epoch, readonly RosterEntry[]] = [{ roster: 'b', from: at(32), before: at(28) }, [hourly]];

  test('in between only what both definitions ask for must be there, and more may be', () => {
    const kept = [...everyMinute(1, 28), row(30), row(40), row(50), row(60)];
    expect(check([ONCE, change], { sync: kept })).toEqual([]);
    const more = [...everyMinute(1, 31), row(40), row(50), row(60)];
    expect(check([ONCE, change], { sync: more })).toEqual([]);
    const less = kept.filter(({ key }) => key !== 'R#30');
    expect(check([ONCE, change], { sync: less })).toEqual(['hole sync 30']);
  });

  test('a job that is gone owes nothing after, a new one nothing before', () => {
    const other: readonly [Epoch, readonly RosterEntry[]] = [
      { roster: 'b', from: at(32), before: at(28) },
      [jobDefinition({ name: 'other' })],
    ];
    expect(check([ONCE, other], { sync: everyMinute(1, 28), other: everyMinute(33, 60) })).toEqual([]);
    expect(check([ONCE, other], { sync: everyMinute(1, 27), other: everyMinute(34, 60) })).toEqual([
      'hole sync 28',
      'hole other 33',
    ]);
  });

  test('a job that is renamed has each row under the one name or the other', () => {
    const renamed: readonly [Epoch, readonly RosterEntry[]] = [
      { roster: 'b', from: at(32), before: at(28) },
      [jobDefinition({ name: 'heir', renamedFrom: 'sync' })],
    ];
    const rows = { sync: everyMinute(1, 30), heir: everyMinute(31, 60) };
    expect(check([ONCE, renamed], rows)).toEqual([]);
    const late = { sync: everyMinute(1, 26), heir: [...everyMinute(27, 60)] };
    expect(check([ONCE, renamed], late)).toEqual([]);
    const lost = { sync: everyMinute(1, 26), heir: everyMinute(28, 60) };
    expect(check([ONCE, renamed], lost)).toEqual(['hole sync 27']);
  });
});

test('a wall time that did not exist has a row where it would have been', () => {
  const gap = Date.parse('2026-03-08T07:00:00Z');
  const entry = jobDefinition({ schedule: '30 2 * * *', timeZone: 'America/New_York' });
  const epoch = { roster: 'a', from: gap - 60 * MINUTE, before: gap - 60 * MINUTE };
  const window = { from: epoch.from, to: gap + 60 * MINUTE, now: gap + 120 * MINUTE };
  const skipped = { scheduledTime: gap, key: 'gap', status: 'skipped', cause: 'gap', trigger: 'schedule' } as const;
  expect(check([[epoch, [entry]]], { sync: [skipped] }, window)).toEqual([]);
  expect(check([[epoch, [entry]]], {}, window)).toHaveLength(1);
});
