import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import type { MetricDatum } from '../alarms/embedded-metrics.ts';
import type { LocalEvent } from '../local-event.ts';
import type { StateFolder } from '../state-folder.ts';
import { SteadyWrite } from '../steady-write.ts';

export interface QueueMessage {
  readonly messageId: string;
  readonly sentAt: number;
  readonly body: string;
  readonly attributes: { readonly [name: string]: string };
}

interface Queue {
  /** Adds a line to its file. */
  readonly write: (entry: object) => void;
  readonly close: () => void;
  readonly messages: Map<string, QueueMessage & { visibleAt: number; receives: number }>;
  /** Messages that came since its metrics were read. */
  sent: number;
}

/**
 * The queues of the template: one file each, a message or a deletion a line. They outlive the process. Which messages are
 * hidden after they were received does not.
 */
export class LocalQueues {
  readonly #folder: StateFolder;
  readonly #now: () => number;
  readonly #emit: (event: LocalEvent) => void;
  #names: ReadonlyMap<string, string> = new Map();
  readonly #queues = new Map<string, Queue>();

  /** @param names queue ARN -> queue name */
  constructor(
    folder: StateFolder,
    now: () => number,
    names: ReadonlyMap<string, string>,
    emit: (event: LocalEvent) => void,
  ) {
    this.#folder = folder;
    this.#now = now;
    this.#emit = emit;
    this.setQueues(names);
  }

  setQueues(names: ReadonlyMap<string, string>): void {
    this.#names = names;
    for (const name of names.values()) {
      if (this.#queues.has(name)) continue;
      this.#queues.set(name, openQueue(name, this.#folder.file('queues', `${name}.jsonl`), this.#emit));
    }
  }

  close(): void {
    for (const queue of this.#queues.values()) queue.close();
  }

  has(name: string): boolean {
    return this.#queues.has(name);
  }

  /** Undefined when the ARN is no queue of the template. */
  sendTo(queueArn: string, body: string, attributes: QueueMessage['attributes'] = {}): QueueMessage | undefined {
    const name = this.#names.get(queueArn);
    return name === undefined ? undefined : this.send(name, body, attributes);
  }

  send(name: string, body: string, attributes: QueueMessage['attributes'] = {}): QueueMessage | undefined {
    const queue = this.#queues.get(name);
    if (queue === undefined) return undefined;
    const message: QueueMessage = { messageId: randomUUID(), sentAt: this.#now(), body, attributes };
    queue.write(message);
    queue.sent++;
    queue.messages.set(message.messageId, { ...message, visibleAt: message.sentAt, receives: 0 });
    return message;
  }

  /** Visible messages, those first that were received least, then the oldest; hidden from others for `hideMs`. */
  receive(name: string, most: number, hideMs: number): readonly (QueueMessage & { readonly receives: number })[] {
    const now = this.#now();
    const visible = [...(this.#queues.get(name)?.messages.values() ?? [])].filter(({ visibleAt }) => visibleAt <= now);
    // Who hides nothing sees all of a long queue in the end, as on AWS, where each look is at another part of it.
    visible.sort((one, other) => one.receives - other.receives);
    return visible.slice(0, most).map((message) => {
      message.visibleAt = now + hideMs;
      message.receives++;
      return message;
    });
  }

  delete(name: string, messageId: string): void {
    const queue = this.#queues.get(name);
    if (queue?.messages.delete(messageId) === true) queue.write({ deleted: messageId });
  }

  /** Hides a message for so long from now on; with 0, whoever asks next gets it. */
  hide(name: string, messageId: string, hideMs: number): void {
    const message = this.#queues.get(name)?.messages.get(messageId);
    if (message !== undefined) message.visibleAt = this.#now() + hideMs;
  }

  /** How many messages there are, and how many of them are hidden. */
  count(name: string): { readonly visible: number; readonly hidden: number } {
    const now = this.#now();
    const all = [...(this.#queues.get(name)?.messages.values() ?? [])];
    const hidden = all.filter(({ visibleAt }) => visibleAt > now).length;
    return { visible: all.length - hidden, hidden };
  }

  /** What SQS tells CloudWatch since it was asked last. */
  *metrics(at: number): Generator<MetricDatum> {
    for (const [name, queue] of this.#queues) {
      const { visible, hidden } = this.count(name);
      const dimensions = { QueueName: name };
      yield { namespace: 'AWS/SQS', name: 'ApproximateNumberOfMessagesVisible', dimensions, value: visible, at };
      yield { namespace: 'AWS/SQS', name: 'ApproximateNumberOfMessagesNotVisible', dimensions, value: hidden, at };
      yield { namespace: 'AWS/SQS', name: 'NumberOfMessagesSent', dimensions, value: queue.sent, at };
      queue.sent = 0;
    }
  }
}

function openQueue(name: string, file: string, emit: (event: LocalEvent) => void): Queue {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // No message has ever been sent.
  }
  let unwritten = '';
  // The first line of a write that failed half-way, or was cut off when a run was killed, must not swallow the next.
  let isTorn = text !== '' && !text.endsWith('\n');
  const log = new SteadyWrite(
    `queue '${name}'`,
    () => {
      const lines = `${isTorn ? '\n' : ''}${unwritten}`;
      isTorn = true;
      appendFileSync(file, lines);
      isTorn = false;
      unwritten = '';
    },
    emit,
  );
  return {
    messages: readMessages(text),
    sent: 0,
    write: (entry) => {
      unwritten += `${JSON.stringify(entry)}\n`;
      log.save();
    },
    close: () => log.close(),
  };
}

function readMessages(text: string): Queue['messages'] {
  const messages: Queue['messages'] = new Map();
  for (const line of text.split('\n')) {
    const entry = parseEntry(line);
    if (entry === undefined) continue;
    if ('deleted' in entry) messages.delete(entry.deleted);
    else messages.set(entry.messageId, { ...entry, visibleAt: entry.sentAt, receives: 0 });
  }
  return messages;
}

/** Undefined for a line that was not written to its end. */
function parseEntry(line: string): QueueMessage | { readonly deleted: string } | undefined {
  try {
    return JSON.parse(line) as QueueMessage | { readonly deleted: string };
  } catch {
    return undefined;
  }
}
