import type { Telling } from '../../lambdas/watchdog/tell.ts';
import type { Message } from '../../lib/domain/watch/plan-telling.ts';
import type { Notifier } from '../../lib/domain/watch/ports.ts';

const DAY = 86_400_000;

/** Remembers what people were told. */
export class RecordingNotifier implements Notifier {
  readonly messages: Message[] = [];
  /** Whether a message is refused. */
  refuses: (message: Message) => boolean = () => false;
  isQuiet: (now: number) => boolean = () => false;

  get telling(): Telling {
    return { notifier: async () => this, remindMs: DAY, isQuiet: (now) => this.isQuiet(now) };
  }

  /** Each message in a few words: `opened late a,b`. */
  get told(): readonly string[] {
    return this.messages.map(inWords);
  }

  async notify(message: Message): Promise<void> {
    if (this.refuses(message)) throw new Error('no such topic');
    this.messages.push(message);
  }
}

/** `opened late a,b` */
export function inWords({ change, kind, incidents }: Message): string {
  return `${change} ${kind} ${incidents.map(({ job }) => job).join(',')}`;
}
