import { describe, expect, test } from 'vitest';
import { planWatchdog, watchdogNamed } from '../../../lib/domain/operate/plan-watchdog.ts';

const found = (prefix: string, environment: string) => ({
  prefix,
  environment,
  tableName: `${prefix}-runs`,
  jobsStacks: prefix,
  watchStack: `${prefix}Watch`,
});

describe('the watchdog of an environment', () => {
  test('is the only one that says it is', () => {
    expect(planWatchdog('prod', [found('billing', 'prod'), found('billing-dev', 'dev')]).prefix).toBe('billing');
  });

  test('of which there are several is chosen by the person', () => {
    const both = [found('shop', 'prod'), found('billing', 'prod'), found('billing-dev', 'dev')];
    expect(() => planWatchdog('prod', both)).toThrow(
      expect.objectContaining({
        code: 'SeveralDeployed',
        message: expect.stringMatching(/billing, shop: .*--prefix billing$/),
      }),
    );
  });

  test('that is not there is an error that says which are', () => {
    expect(() => planWatchdog('prod', [found('a', 'dev'), found('b', 'staging')])).toThrow(/are of dev, staging/);
    expect(() => planWatchdog('prod', [])).toThrow(/no function here is a watchdog/);
    expect(() => watchdogNamed('shop', undefined)).toThrow(/no function shop-watchdog that names a table/);
  });
});
