import { expect, test } from 'vitest';
import { removeExpired, seedSessions } from '../../lambdas/jobs/db-cleanup/cleanup.ts';
import { appTable } from './app-dynalite.ts';

const MIDNIGHT = new Date('2026-10-30T00:00:00Z');
const NEXT_MIDNIGHT = new Date('2026-10-31T00:00:00Z');

test('removes sessions as they expire, each once', async () => {
  const table = await appTable();
  expect(await seedSessions(table, MIDNIGHT)).toBe(12);
  expect(await removeExpired(table, MIDNIGHT)).toBe(4);
  expect(await removeExpired(table, MIDNIGHT)).toBe(0);
  expect(await removeExpired(table, NEXT_MIDNIGHT)).toBe(2);
  expect(await table.rows('SESSION')).toHaveLength(6);
});

test('seeds only a table that has no sessions', async () => {
  const table = await appTable();
  await seedSessions(table, MIDNIGHT);
  await removeExpired(table, MIDNIGHT);
  expect(await seedSessions(table, NEXT_MIDNIGHT)).toBe(0);
});

test('keeps usage reports for thirty days', async () => {
  const table = await appTable();
  await table.put({ pk: 'USAGE', sk: '2026-09-29T23:00:00.000Z' });
  await table.put({ pk: 'USAGE', sk: '2026-09-30T00:00:00.000Z' });
  await removeExpired(table, MIDNIGHT);
  expect((await table.rows('USAGE')).map(({ sk }) => sk)).toEqual(['2026-09-30T00:00:00.000Z']);
});
