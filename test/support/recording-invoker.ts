import type { OccurrenceEvent } from '../../lib/domain/occurrence-event.ts';
import type { JobInvoker } from '../../lib/domain/watch/ports.ts';

/** Keeps what was delivered; `failing` makes deliveries fail. */
export class RecordingInvoker implements JobInvoker {
  readonly delivered: OccurrenceEvent[] = [];
  failing = false;

  async deliver(event: OccurrenceEvent): Promise<void> {
    if (this.failing) throw new Error('the function cannot be reached');
    this.delivered.push(event);
  }
}
