import { describe, expect, test } from 'vitest';
import {
  dueReminders,
  type Invoice,
  planReminders,
  reminderRow,
  seedInvoices,
} from '../../lambdas/jobs/invoice-dunning/dunning.ts';
import { appTable } from './app-dynalite.ts';

const FRIDAY = '2026-10-30';

function invoice(id: string, dueOn: string): Invoice {
  return { id, customer: 'Alder', email: 'a@alder.example', amountCents: 100, dueOn };
}

describe('planReminders', () => {
  test('leaves invoices alone that are due today or later', () => {
    expect(planReminders([invoice('A', FRIDAY), invoice('B', '2026-10-31')], new Set(), FRIDAY)).toEqual([]);
  });

  test.each([
    ['2026-10-29', 1],
    ['2026-10-17', 1],
    ['2026-10-16', 2],
    ['2026-09-30', 3],
    ['2026-01-01', 3],
  ])('an invoice due on %s gets reminder %i', (dueOn, level) => {
    expect(planReminders([invoice('A', dueOn)], new Set(), FRIDAY)).toMatchObject([{ level }]);
  });

  test('writes each reminder once', () => {
    expect(planReminders([invoice('A', '2026-10-29')], new Set(['A#1']), FRIDAY)).toEqual([]);
    expect(planReminders([invoice('A', '2026-10-16')], new Set(['A#1']), FRIDAY)).toMatchObject([{ level: 2 }]);
  });

  test('begins with those longest overdue', () => {
    const planned = planReminders([invoice('A', '2026-10-29'), invoice('B', '2026-10-01')], new Set(), FRIDAY);
    expect(planned.map((reminder) => reminder.invoice.id)).toEqual(['B', 'A']);
  });
});

describe('the shipped invoices', () => {
  test('are put into an empty table once, some of them overdue', async () => {
    const table = await appTable();
    expect(await seedInvoices(table, FRIDAY)).toBe(15);
    expect(await seedInvoices(table, '2026-11-02')).toBe(0);
    expect(await table.rows('INVOICE')).toHaveLength(15);
    expect((await dueReminders(table, FRIDAY)).map(({ invoice, level }) => `${invoice.id}#${level}`)).toEqual([
      'INV-1001#3',
      'INV-1002#3',
      'INV-1003#2',
      'INV-1004#2',
      'INV-1005#1',
      'INV-1006#1',
      'INV-1007#1',
    ]);
  });

  test('that became overdue over the weekend are reminded on Monday, the others not again', async () => {
    const table = await appTable();
    await seedInvoices(table, FRIDAY);
    for (const reminder of await dueReminders(table, FRIDAY)) await table.put(reminderRow(reminder, FRIDAY));
    expect(await dueReminders(table, FRIDAY)).toEqual([]);
    expect((await dueReminders(table, '2026-11-02')).map(({ invoice }) => invoice.id)).toEqual([
      'INV-1008',
      'INV-1009',
      'INV-1010',
    ]);
  });
});
