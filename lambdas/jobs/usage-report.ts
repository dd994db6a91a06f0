import { defineJob } from '../runtime/index.ts';
import { AppTable } from './app-table.ts';
import { hourBefore, publish, summarise } from './usage-report/usage-report.ts';
import { UsageSource } from './usage-report/usage-source.ts';

const table = AppTable.deployed();
const source = new UsageSource();

export const handler = defineJob(async (run) => {
  const hour = hourBefore(run.scheduledTime);
  const records = await source.read(hour, run.attempt);
  await publish(table, summarise(hour, records));
  return { records: records.length };
});
