import { expect, test } from 'vitest';
import { reviewUpdate } from '../../lib/domain/update/review-update.ts';
import { type EnvironmentsInput, parseEnvironments } from '../../lib/stacks/environment.ts';
import { EnvironmentStage } from '../../lib/stacks/environment-stage.ts';
import { templatesOf } from '../support/update/update-app.ts';

type Settings = EnvironmentsInput[string];

/** What an environment can say, each with what it is changed to; a text: why no deployment differs by it. */
const SETTINGS: { readonly [name: string]: Partial<Settings> | string } = {
  account: 'another account is another deployment',
  region: 'another Region is another deployment',
  protected: { protected: true },
  logRetentionDays: { logRetentionDays: 90 },
  alerts: { alerts: { page: ['ops@example.com'], warn: ['https://example.com/alerts'] } },
  maxAlarms: 'refuses more at synth, and is in no template',
  lifecycleEvents: { lifecycleEvents: true },
  maintenance: { maintenance: [{ begins: '0 2 * * 0', timeZone: 'UTC', minutes: 60 }] },
  dashboard: { dashboard: true },
  defaults: { defaults: { memorySize: 512, failedAlarm: true, environment: { COLOUR: 'blue' } } },
  jobs: { jobs: { heartbeat: { enabled: false }, 'usage-report': { schedule: ['@daily', '@hourly'] } } },
};

const USUAL: Settings = { protected: false, logRetentionDays: 7 };

function stacksOf(settings: Partial<Settings>, names: readonly string[] = ['prod']) {
  const inputs = Object.fromEntries(names.map((name) => [name, { ...USUAL, ...settings }]));
  return templatesOf((app) => {
    for (const environment of parseEnvironments(inputs)) new EnvironmentStage(app, environment);
  });
}

/** The error lists them. */
function knownSettings(): readonly string[] {
  try {
    parseEnvironments({ prod: { ...USUAL, bogus: 1 } as Settings });
    return [];
  } catch (error) {
    return /known are ([^;]*)/.exec(String(error))?.[1]?.split(', ') ?? [];
  }
}

test('every setting of an environment has a pair, or says why it needs none', () => {
  expect(Object.keys(SETTINGS).sort()).toEqual([...knownSettings()].sort());
});

const usual = stacksOf({});
const pairs = Object.entries(SETTINGS).filter(
  (entry): entry is [string, Partial<Settings>] => typeof entry[1] !== 'string',
);

test.each(pairs)('%s comes and goes', (_, settings) => {
  const changed = stacksOf(settings);
  expect(changed).not.toEqual(usual);
  expect(reviewUpdate(usual, changed)).toEqual([]);
  expect(reviewUpdate(changed, usual)).toEqual([]);
});

test('another environment is deployed beside those that are there', () => {
  const two = stacksOf({ lifecycleEvents: true }, ['dev', 'prod']);
  expect(two.length).toBe(6);
  expect(reviewUpdate([], two)).toEqual([]);
  expect(reviewUpdate(usual, two)).toEqual([]);
});
