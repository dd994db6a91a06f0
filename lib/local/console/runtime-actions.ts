import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDbOperatorStore } from '../../adapters/dynamodb-run-store/dynamodb-operator-store.ts';
import { DynamoDbRequestBook } from '../../adapters/dynamodb-watch-store/dynamodb-request-book.ts';
import type { OccurrenceKey } from '../../domain/contract/occurrence-key.ts';
import { BelfryError } from '../../domain/errors.ts';
import { formatInstant } from '../../domain/time/instant.ts';
import { Operator, type ScheduledTarget } from '../operate/operator.ts';
import type { RuntimeInside } from '../runtime-inside.ts';
import type { ConsoleActions } from './console-source.ts';
import type { Outlook } from './outlook.ts';

const REQUEST = { by: 'console' };
const MOST_BACKFILLED = 500;

export interface RuntimeActionsParts {
  readonly inside: RuntimeInside;
  /** As the app declares it now. */
  readonly outlook: () => Outlook;
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** Called for each run that was, or will be, changed. */
  readonly onRun: (key: OccurrenceKey) => void;
  readonly onPause: () => void;
}

/** Operates the jobs of a local runtime as `belfry trigger` and its kin operate deployed ones. */
export class RuntimeActions implements ConsoleActions {
  readonly #parts: RuntimeActionsParts;
  readonly #operator: Operator;

  constructor(parts: RuntimeActionsParts) {
    this.#parts = parts;
    const { inside, client, tableName } = parts;
    this.#operator = new Operator({
      store: new DynamoDbOperatorStore(client, tableName),
      requests: new DynamoDbRequestBook(client, tableName),
      invoker: {
        deliver: async (event) =>
          inside.deliver(event.job, { ...event, scheduledTime: formatInstant(event.scheduledTime) }),
      },
      now: () => inside.clock.now(),
    });
  }

  async trigger(name: string): Promise<number> {
    const scheduledTime = await this.#operator.trigger(this.#target(name), REQUEST);
    this.#parts.onRun({ job: name, scheduledTime });
    return scheduledTime;
  }

  async pause(name: string, note: string): Promise<void> {
    await this.#operator.pause(this.#target(name), { ...REQUEST, note });
    this.#parts.onPause();
  }

  async resume(name: string): Promise<void> {
    await this.#operator.resume(this.#target(name), REQUEST);
    this.#parts.onPause();
  }

  async skip(name: string, scheduledTime: number): Promise<void> {
    const target = this.#target(name);
    try {
      await this.#operator.skip(target, scheduledTime, REQUEST);
    } finally {
      // Refused, it may be that the page has not seen yet what became of it.
      this.#parts.onRun({ job: name, scheduledTime });
    }
  }

  async backfill(name: string, from: number, to: number): Promise<number> {
    const range = { from, to, limit: MOST_BACKFILLED };
    const { open } = await this.#operator.backfill(this.#target(name), range, REQUEST);
    for (const scheduledTime of open) this.#parts.onRun({ job: name, scheduledTime });
    return open.length;
  }

  #target(name: string): ScheduledTarget {
    const outlook = this.#parts.outlook();
    const job = outlook.jobs.get(name);
    const schedule = outlook.scheduleOf(name);
    if (job !== undefined && schedule !== undefined) return { job, schedule };
    throw new BelfryError('UnknownJob', `there is no job '${name}': known are ${[...outlook.jobs.keys()].join(', ')}`);
  }
}
