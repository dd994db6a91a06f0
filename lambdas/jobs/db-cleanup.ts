import { defineJob } from '../runtime/index.ts';
import { AppTable } from './app-table.ts';
import { removeExpired, seedSessions } from './db-cleanup/cleanup.ts';

const table = AppTable.deployed();

export const handler = defineJob(async (run) => {
  await seedSessions(table, run.scheduledTime);
  return { removed: await removeExpired(table, run.scheduledTime) };
});
