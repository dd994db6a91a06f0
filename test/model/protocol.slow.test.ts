import { expect, test } from 'vitest';
import { check } from './checker.ts';
import { runModel } from './run-model.ts';
import { turnModel } from './turn-model.ts';

const large = { timeout: 600_000 };

test('one run, two invocations, two crashes and two losses', large, () => {
  const usual = {
    invocations: 2,
    maxAttempts: 3,
    crashes: 2,
    losses: 2,
    duplicates: 1,
    watchdogRaces: 1,
    retries: 2,
    lateRequests: 1,
  };
  const verdict = check(runModel(usual));
  expect(verdict).toMatchObject({ states: 254_022, transitions: 1_388_949 });
  expect(verdict.violated).toBeUndefined();
});

test('one run, three invocations', large, () => {
  const usual = {
    invocations: 3,
    maxAttempts: 3,
    crashes: 2,
    losses: 1,
    duplicates: 2,
    watchdogRaces: 1,
    retries: 1,
    lateRequests: 1,
  };
  expect(check(runModel(usual)).violated).toBeUndefined();
});

test.each(['skip', 'queue'] as const)('runs that exclude each other, three invocations: %s', large, (policy) => {
  const usual = { invocations: 3, maxAttempts: 2, crashes: 1, losses: 1, duplicates: 1 };
  expect(check(turnModel({ ...usual, policy })).violated).toBeUndefined();
});
