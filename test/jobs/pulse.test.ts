import { expect, test } from 'vitest';
import { dueComponents, recordPulse, shippedComponents } from '../../lambdas/jobs/heartbeat/pulse.ts';
import { appTable } from './app-dynalite.ts';

test('each component has its minutes', () => {
  const names = (time: string) => dueComponents(shippedComponents(), new Date(time)).map(({ name }) => name);
  expect(names('2026-10-30T09:00:00Z')).toEqual(['api', 'web', 'mail', 'archive']);
  expect(names('2026-10-30T09:10:00Z')).toEqual(['api']);
  expect(names('2026-10-30T09:01:00Z')).toEqual([]);
});

test('a pulse is one row for each component, however often it is written', async () => {
  const table = await appTable();
  const time = new Date('2026-10-30T09:00:00Z');
  await recordPulse(table, shippedComponents(), time);
  await recordPulse(table, shippedComponents(), time);
  expect((await table.rows('PULSE')).map(({ sk, beatAt }) => [sk, beatAt])).toContainEqual(['api', time.toISOString()]);
  expect(await table.rows('PULSE')).toHaveLength(4);
});
