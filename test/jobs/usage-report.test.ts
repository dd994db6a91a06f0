import { describe, expect, test } from 'vitest';
import { hourBefore, publish, summarise } from '../../lambdas/jobs/usage-report/usage-report.ts';
import { failuresFor, UsageSource } from '../../lambdas/jobs/usage-report/usage-source.ts';
import { appTable } from './app-dynalite.ts';

const HOURS = Array.from({ length: 48 }, (_, n) => new Date(Date.UTC(2026, 9, 30, n)));

describe('the source', () => {
  test('fails now and then, and never three times running', () => {
    const failures = HOURS.map(failuresFor);
    expect(Math.max(...failures)).toBe(2);
    expect(failures.filter((count) => count === 1).length).toBeGreaterThan(0);
    expect(failures.filter((count) => count === 0).length).toBeGreaterThan(HOURS.length / 2);
  });

  test('answers on the attempt after its failures', async () => {
    const source = new UsageSource();
    for (const hour of HOURS) {
      const failures = failuresFor(hour);
      for (let attempt = 1; attempt <= failures; attempt++) {
        await expect(source.read(hour, attempt)).rejects.toThrow('did not answer');
      }
      await expect(source.read(hour, failures + 1)).resolves.toBeInstanceOf(Array);
    }
  });

  test('has records for some hours of the day', async () => {
    const source = new UsageSource();
    const counts = await Promise.all(HOURS.map(async (hour) => (await source.read(hour, 3)).length));
    expect(Math.max(...counts)).toBeGreaterThan(2);
  });
});

describe('the report', () => {
  test('is about the whole hour before', () => {
    expect(hourBefore(new Date('2026-10-30T09:00:00Z'))).toEqual(new Date('2026-10-30T08:00:00Z'));
  });

  test('adds up, and names the busiest customer', () => {
    const report = summarise(new Date('2026-10-30T08:00:00Z'), [
      { customer: 'Alder', requests: 10, megabytes: 1 },
      { customer: 'Birch', requests: 30, megabytes: 2 },
    ]);
    expect(report).toMatchObject({
      sk: '2026-10-30T08:00:00.000Z',
      customers: 2,
      requests: 40,
      megabytes: 3,
      top: 'Birch',
    });
  });

  test('of an hour without records says so', () => {
    expect(summarise(new Date(0), [])).toMatchObject({ customers: 0, requests: 0, top: 'nobody' });
  });

  test('is one row, however often it is written', async () => {
    const table = await appTable();
    const report = summarise(new Date('2026-10-30T08:00:00Z'), [{ customer: 'Alder', requests: 10, megabytes: 1 }]);
    await publish(table, report);
    await publish(table, report);
    expect(await table.rows('USAGE')).toEqual([report]);
  });
});
