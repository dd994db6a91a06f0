import type { LocalEvent } from '../../local/local-event.ts';

/** Shows what the local runtime does. */
export interface DevPrinter {
  print(event: LocalEvent): void;
  close(): void;
}
