import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expect, test } from 'vitest';
import * as entry from '../../../lib/schedule.ts';

test('cdk-belfry/schedule has these names', () => {
  expect(Object.keys(entry).sort()).toEqual([
    'BelfryError',
    'clockChangesBetween',
    'describeSchedule',
    'explainSchedule',
    'firingsBetween',
    'firstStartFrom',
    'parseAwsExpression',
    'parseSchedule',
    'reviewSchedule',
    'supplementsBetween',
    'surplusBetween',
    'translateSchedule',
  ]);
});

test('no AWS SDK, no CDK and no Node module is behind it', () => {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const follow = (path: string) => {
    if (seen.has(path)) {
      return;
    }
    seen.add(path);
    for (const [, specifier = ''] of readFileSync(path, 'utf8').matchAll(/from '([^']+)';/g)) {
      if (specifier.startsWith('.')) {
        follow(resolve(dirname(path), specifier));
      } else {
        packages.add(specifier);
      }
    }
  };
  follow(resolve(import.meta.dirname, '../../../lib/schedule.ts'));
  expect(seen.size).toBeGreaterThan(20);
  expect([...packages].sort()).toEqual(['cron-parser', 'cronstrue', 'luxon']);
});
