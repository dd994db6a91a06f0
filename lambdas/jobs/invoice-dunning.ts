import { defineJob } from '../runtime/index.ts';
import { AppTable } from './app-table.ts';
import { dueReminders, reminderRow, seedInvoices } from './invoice-dunning/dunning.ts';

/** What one transaction holds beside the run's own completion. A longer list goes on the next working day. */
const MOST_REMINDERS = 99;

const table = AppTable.deployed();

export const handler = defineJob(async (run) => {
  const today = run.localTime.slice(0, 10);
  await seedInvoices(table, today);
  const reminders = (await dueReminders(table, today)).slice(0, MOST_REMINDERS);
  await run.commit(
    reminders.map((reminder) => table.putAction(reminderRow(reminder, today))),
    { result: { reminders: reminders.length } },
  );
});
