import Table from 'cli-table3';
import type { DriveEvent } from '../../local/drive/drive-event.ts';
import { paint } from './dev-lines.ts';

/** One event for people, with its line ends. */
export function driveLine(event: Exclude<DriveEvent, { readonly type: 'note' }>): string {
  switch (event.type) {
    case 'watching': {
      const table = new Table({
        head: ['schedule', 'expression', 'zone', 'next'],
        style: { head: [], border: [], compact: true },
      });
      for (const { schedule, expression, timeZone, next } of event.schedules) {
        table.push([schedule, expression, timeZone, next ?? 'never']);
      }
      const count = event.schedules.length;
      return `driving ${count} ${count === 1 ? 'schedule' : 'schedules'} of ${event.endpoint}\n${count === 0 ? '' : `${table.toString()}\n`}`;
    }
    case 'fired':
      return `${paint('dim', event.at)}  ${event.schedule}  ${event.scheduledTime}  ${paint('green', 'fired')} ${event.function}${event.next === undefined ? '' : paint('dim', `, next ${event.next}`)}\n`;
    case 'refused':
      return `${paint('dim', event.at)}  ${event.schedule}  ${event.scheduledTime}  ${paint('red', 'not taken')}: ${event.reason}\n`;
    case 'stopped':
      return `stopped at ${event.at}: ${event.fired} fired, ${event.refused} not taken\n`;
  }
}
