import type { AppTable, Row } from '../app-table.ts';
import { csvRows } from '../csv-rows.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days overdue from which a customer gets the first, the second, the last reminder. */
const LEVELS = [1, 14, 30];

export interface Invoice {
  readonly id: string;
  readonly customer: string;
  readonly email: string;
  readonly amountCents: number;
  /** Local date, YYYY-MM-DD. */
  readonly dueOn: string;
}

export interface Reminder {
  readonly invoice: Invoice;
  /** From 1. */
  readonly level: number;
  readonly daysOverdue: number;
}

/** Puts the shipped invoices into an empty table, due around `today`. */
export async function seedInvoices(table: AppTable, today: string): Promise<number> {
  if ((await table.rows('INVOICE')).length > 0) return 0;
  const shipped = csvRows<'invoice' | 'customer' | 'email' | 'amount_cents' | 'due_in_days'>(
    new URL('./invoices.csv', import.meta.url),
  );
  for (const { invoice, customer, email, amount_cents, due_in_days } of shipped) {
    await table.putIfAbsent({
      pk: 'INVOICE',
      sk: invoice,
      customer,
      email,
      amountCents: Number(amount_cents),
      dueOn: addDays(today, Number(due_in_days)),
    });
  }
  return shipped.length;
}

/** The reminders that are due today and were not written before, those longest overdue first. */
export async function dueReminders(table: AppTable, today: string): Promise<Reminder[]> {
  const invoices = (await table.rows('INVOICE')).map(toInvoice);
  const written = new Set((await table.rows('REMINDER')).map(({ sk }) => sk));
  return planReminders(invoices, written, today);
}

/** @param written keys of the reminders that exist, `<invoice>#<level>` */
export function planReminders(invoices: readonly Invoice[], written: ReadonlySet<string>, today: string): Reminder[] {
  return invoices
    .map((invoice) => {
      const daysOverdue = daysBetween(invoice.dueOn, today);
      return { invoice, daysOverdue, level: LEVELS.filter((days) => daysOverdue >= days).length };
    })
    .filter(({ invoice, level }) => level > 0 && !written.has(reminderKey(invoice.id, level)))
    .sort((a, b) => b.daysOverdue - a.daysOverdue || a.invoice.id.localeCompare(b.invoice.id));
}

export function reminderRow({ invoice, level, daysOverdue }: Reminder, today: string): Row {
  return {
    pk: 'REMINDER',
    sk: reminderKey(invoice.id, level),
    email: invoice.email,
    amountCents: invoice.amountCents,
    daysOverdue,
    writtenOn: today,
  };
}

function reminderKey(invoice: string, level: number): string {
  return `${invoice}#${level}`;
}

function toInvoice({ sk, customer, email, amountCents, dueOn }: Row): Invoice {
  return {
    id: sk,
    customer: String(customer),
    email: String(email),
    amountCents: Number(amountCents),
    dueOn: String(dueOn),
  };
}

function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}
