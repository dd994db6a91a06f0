import { defineJob } from '../runtime/index.ts';
import { AppTable } from './app-table.ts';
import { dueComponents, recordPulse, shippedComponents } from './heartbeat/pulse.ts';

const table = AppTable.deployed();
const components = shippedComponents();

export const handler = defineJob(async (run) => {
  const due = dueComponents(components, run.scheduledTime);
  await recordPulse(table, due, run.scheduledTime);
  return { beats: due.length };
});
