import type { LocalEvent } from '../../local/local-event.ts';
import { eventLine } from './dev-lines.ts';
import type { DevPrinter } from './dev-printer.ts';

/** Plain lines, for pipes and logs. */
export class DevPlainPrinter implements DevPrinter {
  print(event: LocalEvent): void {
    if (event.type === 'ready') {
      for (const job of event.jobs) {
        process.stdout.write(
          `${job.name}: ${[job.schedule].flat().join(' and ')} in ${job.timeZone}, next ${job.next ?? 'never'}\n`,
        );
      }
      process.stdout.write(`ready at ${event.at}, endpoint ${event.endpoint}\n`);
      return;
    }
    const line = eventLine(event);
    if (line !== undefined) (event.type === 'note' ? process.stderr : process.stdout).write(`${line}\n`);
  }

  close(): void {}
}
