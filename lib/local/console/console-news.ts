import type { LocalEvent } from '../local-event.ts';
import type { ConsoleNote } from './console-state.ts';

const MOST_NOTES = 50;

/** What a page should know that was told before anybody looked: the last notes, and why each alarm is as it is. */
export class ConsoleNews {
  readonly notes: ConsoleNote[] = [];
  readonly alarms = new Map<string, { readonly reason: string; readonly since: number }>();
  readonly #now: () => number;

  /** @param now the runtime's clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** To be called with everything that the runtime tells. */
  accept(event: LocalEvent): void {
    if (event.type === 'alarm') this.alarms.set(event.name, { reason: event.reason, since: Date.parse(event.at) });
    if (event.type !== 'note') return;
    this.notes.push({ level: event.level, text: event.text, at: this.#now() });
    this.notes.splice(0, this.notes.length - MOST_NOTES);
  }
}
