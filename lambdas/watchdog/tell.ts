import type { Incident } from '../../lib/domain/watch/incident.ts';
import { type Message, markTold, messagesOf } from '../../lib/domain/watch/plan-telling.ts';
import type { Notifier, WatchStore } from '../../lib/domain/watch/ports.ts';
import type { WatchState } from '../../lib/domain/watch/watch-state.ts';

/** How people are told. */
export interface Telling {
  /** Called when there is something to tell. */
  readonly notifier: () => Promise<Notifier>;
  /** How long after a message people are reminded, the first time. */
  readonly remindMs: number;
  /** Whether work is done on purpose at this instant, so that nothing is told. */
  readonly isQuiet: (now: number) => boolean;
}

/** A message, and why it could not be sent. */
export interface Sent {
  readonly message: Message;
  readonly error?: unknown;
}

export interface Told {
  readonly incidents: readonly Incident[];
  readonly messages: readonly Sent[];
  /** Of the state that stands now. */
  readonly version: number;
}

/** All messages of a sweep together: what is not sent by then is sent by the next. */
const LONGEST_MS = 10_000;

/**
 * Tells what is untold, at least once: first it is saved that there is something to tell, then it is sent, and the sweep's
 * own save says that it was. Killed anywhere in between, the next sweep sends it again, under the same id.
 *
 * @returns undefined when another watchdog moved the state meanwhile, which tells it in place of this one
 */
export async function tell(
  { watchStore, telling }: { readonly watchStore: WatchStore; readonly telling: Telling },
  last: WatchState,
  incidents: readonly Incident[],
  now: number,
): Promise<Told | undefined> {
  const messages = telling.isQuiet(now) ? [] : messagesOf(incidents);
  if (messages.length === 0) return { incidents, messages: [], version: last.version };
  let { version } = last;
  const saved = new Set(messagesOf(last.incidents).map(nameOf));
  if (!messages.every((message) => saved.has(nameOf(message)))) {
    version += 1;
    if (!(await watchStore.save({ ...last, incidents, version }))) return undefined;
  }
  const sent = await send(telling, messages);
  const told = sent.filter(({ error }) => error === undefined).map(({ message }) => message);
  return { incidents: markTold(incidents, told, now), messages: sent, version };
}

async function send({ notifier }: Telling, messages: readonly Message[]): Promise<readonly Sent[]> {
  const signal = AbortSignal.timeout(LONGEST_MS);
  const opened = notifier();
  return Promise.all(
    messages.map(async (message) => {
      try {
        await (await opened).notify(message, signal);
        return { message };
      } catch (error) {
        return { message, error };
      }
    }),
  );
}

function nameOf({ id, change }: Message): string {
  return `${id} ${change}`;
}
