import { describe, expect, test } from 'vitest';
import { resolveJobOptions } from '../../lib/constructs/job-options.ts';
import { parseEnvironments, selectEnvironments } from '../../lib/stacks/environment.ts';

const VALID = { protected: false, logRetentionDays: 7 };

describe('parseEnvironments', () => {
  test('fills in what may be left out', () => {
    expect(parseEnvironments({ dev: VALID })).toEqual([
      {
        ...VALID,
        name: 'dev',
        alerts: { remindHours: 24 },
        maxAlarms: 50,
        lifecycleEvents: false,
        maintenance: [],
        dashboard: false,
        defaults: {},
        jobs: {},
      },
    ]);
  });

  test('reads durations in seconds', () => {
    const [dev] = parseEnvironments({ dev: { ...VALID, jobs: { dunning: { timeout: 90 } } } });
    expect(dev?.jobs.dunning?.timeout?.toSeconds()).toBe(90);
  });

  test('may say of a job whatever a job can say of itself', () => {
    const message = (entry: object) => {
      try {
        parseEnvironments({ dev: { ...VALID, ...entry } });
        return '';
      } catch (error) {
        return error instanceof Error ? error.message : '';
      }
    };
    const known = (text: string) =>
      text
        .replace(/.*known are /, '')
        .split(', ')
        .sort();
    const options = Object.keys(resolveJobOptions());
    expect(known(message({ jobs: { dunning: { other: 1 } } }))).toEqual([...options, 'schedule', 'timeZone'].sort());
    expect(known(message({ defaults: { other: 1 } }))).toEqual(options.sort());
  });

  const faulty: [string, object, RegExp][] = [
    [
      'an unknown key',
      { protcted: true },
      /environment 'dev': .*unknown key 'protcted'; known are account, region, protected/,
    ],
    [
      'an unknown key of a job',
      { jobs: { dunning: { enable: false } } },
      /unknown key 'jobs\.dunning\.enable'; known are enabled/,
    ],
    [
      'an unknown key of a job’s retries',
      { jobs: { dunning: { retry: { attempts: 2 } } } },
      /unknown key 'jobs\.dunning\.retry\.attempts'; known are maxAttempts, backoff, initialDelay, maxDelay$/,
    ],
    [
      'an unknown key of alerts',
      { alerts: { mail: [] } },
      /unknown key 'alerts\.mail'; known are page, ticket, warn, remindHours$/,
    ],
    [
      'an unknown key of a maintenance window',
      { maintenance: [{ begins: '0 2 * * 0', timeZone: 'UTC', minutes: 60, hours: 1 }] },
      /unknown key 'maintenance\.0\.hours'; known are begins, timeZone, minutes$/,
    ],
    ['an account that is none', { account: '123' }, /'account' must be 12 digits/],
    ['a region that is none', { region: 'Ireland' }, /'region' must look like 'eu-west-1'/],
    ['a retention that CloudWatch does not have', { logRetentionDays: 8 }, /'logRetentionDays'/],
    [
      'an address that is none',
      { alerts: { page: ['http://plain.example'] } },
      /'alerts\.page\.0' must be an e-mail address/,
    ],
  ];
  test.each(faulty)('%s is an error that says what is allowed', (_, fault, message) => {
    expect(() => parseEnvironments({ dev: { ...VALID, ...fault } })).toThrow(message);
    expect(() => parseEnvironments({ dev: { ...VALID, ...fault } })).toThrow(
      expect.objectContaining({ code: 'InvalidEnvironment' }),
    );
  });
});

describe('selectEnvironments', () => {
  const environments = parseEnvironments({ dev: VALID, prod: VALID });

  test('takes all when none is asked for', () => {
    expect(selectEnvironments(environments, undefined)).toHaveLength(2);
  });

  test('takes the one that is', () => {
    expect(selectEnvironments(environments, 'prod').map(({ name }) => name)).toEqual(['prod']);
  });

  test('lists those there are when there is no such', () => {
    expect(() => selectEnvironments(environments, 'production')).toThrow(
      /no environment "production": known are dev, prod/,
    );
  });
});
