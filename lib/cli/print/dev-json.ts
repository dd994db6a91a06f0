import type { LocalEvent } from '../../local/local-event.ts';
import { eventLine } from './dev-lines.ts';
import type { DevPrinter } from './dev-printer.ts';

/** One JSON object a line on stdout; what is meant for people goes to stderr. */
export class DevJsonPrinter implements DevPrinter {
  print(event: LocalEvent): void {
    const line = jsonLine(event);
    if (line !== undefined) process.stdout.write(`${JSON.stringify(line)}\n`);
    else process.stderr.write(`${eventLine(event) ?? ''}\n`);
  }

  close(): void {}
}

/** The public form of an event: these keys, in this order. */
function jsonLine(event: LocalEvent): object | undefined {
  switch (event.type) {
    case 'ready':
      return { type: event.type, at: event.at, jobs: event.jobs };
    case 'fired':
      return { type: event.type, job: event.job, scheduledTime: event.scheduledTime, at: event.at };
    case 'run': {
      const { type, job, scheduledTime, status, attempt, trigger, durationMs, at } = event;
      return { type, job, scheduledTime, status, attempt, trigger, durationMs, at };
    }
    case 'missed':
    case 'alarm':
    case 'event':
    case 'stopped':
      return event;
    case 'note':
    case 'reloaded':
      return undefined;
  }
}
