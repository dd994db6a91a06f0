import { appendFileSync, readFileSync } from 'node:fs';
import type { MetricDatum } from './alarms/embedded-metrics.ts';
import type { StateFolder } from './state-folder.ts';

/** The queues of the template, as far as events that were given up go into them: one file each, one message a line. */
export class DeadLetters {
  readonly #folder: StateFolder;
  #names: ReadonlyMap<string, string> = new Map();
  readonly #counts = new Map<string, number>();

  /** @param names queue ARN -> queue name */
  constructor(folder: StateFolder, names: ReadonlyMap<string, string>) {
    this.#folder = folder;
    this.setQueues(names);
  }

  setQueues(names: ReadonlyMap<string, string>): void {
    this.#names = names;
    this.#counts.clear();
    for (const name of names.values()) {
      this.#counts.set(name, countLines(this.#folder.file('queues', `${name}.jsonl`)));
    }
  }

  /** False when the ARN is no queue of the template. */
  send(queueArn: string, message: object): boolean {
    const name = this.#names.get(queueArn);
    if (name === undefined) return false;
    appendFileSync(this.#folder.file('queues', `${name}.jsonl`), `${JSON.stringify(message)}\n`);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    return true;
  }

  *metrics(at: number): Generator<MetricDatum> {
    for (const [name, value] of this.#counts) {
      yield {
        namespace: 'AWS/SQS',
        name: 'ApproximateNumberOfMessagesVisible',
        dimensions: { QueueName: name },
        value,
        at,
      };
    }
  }
}

function countLines(file: string): number {
  try {
    return readFileSync(file, 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
}
