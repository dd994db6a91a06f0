import { describe, expect, test } from 'vitest';
import { check, STUCK, type Verdict } from './checker.ts';
import { clockModel } from './clock-model.ts';
import { runModel } from './run-model.ts';
import { type TurnModelOptions, turnModel } from './turn-model.ts';

const usual = {
  invocations: 2,
  maxAttempts: 3,
  crashes: 1,
  losses: 1,
  duplicates: 1,
  watchdogRaces: 1,
  retries: 1,
  lateRequests: 1,
};
const holds = (verdict: Verdict) => expect(verdict.violated, verdict.trace.join('\n')).toBeUndefined();
const breaks = (verdict: Verdict, what: string, steps: number) => {
  expect(verdict.violated).toMatch(what);
  expect(verdict.trace, verdict.trace.join('\n')).toHaveLength(steps);
};

describe('one run', () => {
  test('holds all invariants under crashes, losses, duplicates, late requests and any clock', () => {
    const verdict = check(runModel(usual));
    holds(verdict);
    expect(verdict.states).toBeGreaterThan(10_000);
    expect(verdict.reached).toHaveLength(3);
  });

  const calm = {
    crashes: 0,
    duplicates: 0,
    watchdogRaces: 0,
    watchdog: false,
    neverDrops: true,
    neverThrows: true,
    lateRequests: 0,
    retries: 2,
  };
  const unfenced = { commit: false, unfencedComplete: true, deleteOnFail: true, lateRequests: 0, retries: 2 };

  test('an effect outside the transaction may be applied twice', () => {
    breaks(check(runModel({ ...usual, commit: false })), 'I3', 8);
  });
  test('without a condition a zombie completes the record of its successor', () => {
    breaks(check(runModel({ ...usual, ...unfenced, only: ['T4'] })), 'T4', 8);
  });
  test("without a condition a zombie's failure deletes the lock of its successor", () => {
    breaks(check(runModel({ ...usual, ...unfenced, only: ['I6'] })), 'I6', 10);
  });
  test('a crash inside the lease eats the retries of Lambda: without a watchdog the run is lost', () => {
    breaks(check(runModel({ ...usual, ...calm, losses: 0, crashes: 1 })), STUCK, 6);
  });
  test('with the request id as token two attempts own one run', () => {
    breaks(check(runModel({ ...usual, sharedToken: true })), 'I1', 5);
  });
  test('a lost response that is read as another attempt loses the run', () => {
    breaks(check(runModel({ ...usual, ...calm, ignoresOwnClaim: true, neverGivesUp: true })), STUCK, 4);
    holds(check(runModel({ ...usual, ...calm, neverGivesUp: true })));
  });
  test('busy must not simply be acknowledged: a client that gave up on completion is the last delivery', () => {
    breaks(check(runModel({ ...usual, ...calm })), STUCK, 7);
  });
  test('a record deleted while deliveries may come gives one fencing token twice', () => {
    breaks(check(runModel({ ...usual, deletions: 1 })), 'I1', 6);
  });
});

describe('runs that exclude each other', () => {
  const pair: TurnModelOptions = {
    policy: 'skip',
    invocations: 2,
    maxAttempts: 2,
    crashes: 1,
    losses: 1,
    duplicates: 1,
  };

  test.each(['skip', 'queue'] as const)('%s holds all invariants', (policy) => {
    const verdict = check(turnModel({ ...pair, policy }));
    holds(verdict);
    expect(verdict.reached).toContain('both runs succeed');
    expect(verdict.reached).toContain('a stalled body beside a live one');
  });
  test('taking the own turn again would cost a write and gain nothing', () => {
    holds(check(turnModel({ ...pair, takesOwnTurnAgain: true })));
  });
  test('a turn that is free once a lease is over lets two runs work', () => {
    expect(check(turnModel({ ...pair, freeOnExpiry: true, only: ['S1'] })).violated).toMatch('S1');
    expect(check(turnModel({ ...pair, freeOnExpiry: true, only: ['S2'] })).violated).toMatch('S2');
  });
  test('a turn that is taken whatever its version lets two runs work', () => {
    expect(check(turnModel({ ...pair, takesAnyVersion: true })).violated).toMatch(/S1|S2/);
  });
  test('waiting does not use up attempts; if giving the turn back did, it would', () => {
    const waiting: TurnModelOptions = { ...pair, policy: 'queue', maxAttempts: 1, crashes: 0, leasesNeverEnd: true };
    holds(check(turnModel(waiting)));
    expect(check(turnModel({ ...waiting, yieldCounts: true })).violated).toMatch('S6');
  });
});

test('bodies never overlap exactly if grace + margin cover twice the clock error and the kill delay', () => {
  for (const clockError of [0, 1, 2]) {
    for (const killDelay of [0, 1]) {
      for (let sum = 0; sum <= 6; sum++) {
        const times = { timeout: 3, grace: Math.ceil(sum / 2), margin: Math.floor(sum / 2), until: 12 };
        const { violated } = check(clockModel({ ...times, clockError, killDelay }));
        // The comparison is strict, which gives one unit of time for free.
        expect(violated === undefined, JSON.stringify({ clockError, killDelay, sum })).toBe(
          sum + 1 > 2 * clockError + killDelay,
        );
      }
    }
  }
});
