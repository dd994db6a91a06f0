import { randomUUID } from 'node:crypto';
import type { StreamResource } from '../assembly/resources.ts';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import type { InvocationOutcome } from '../lambda/invocation-outcome.ts';
import { type BatchPlan, type BatchState, planBatch } from './plan-batch.ts';
import { matchesPattern } from './record-pattern.ts';
import type { StreamRecord } from './stream-record.ts';

export interface StreamReaderOptions {
  readonly clock: VirtualClock;
  readonly stream: StreamResource;
  /** Undefined when there is no such function here. */
  readonly invoke: (requestId: string, payload: string) => Promise<InvocationOutcome> | undefined;
  /** Gets the record of a batch that was given up. */
  readonly onDiscarded: (record: object) => void;
  readonly onFailed: (outcome: InvocationOutcome, plan: BatchPlan) => void;
}

/** One function's place in a table's stream: batches in order, one at a time, again until they are taken. */
export class StreamReader {
  readonly #options: StreamReaderOptions;
  readonly #waiting: StreamRecord[] = [];
  #state: BatchState;
  #delivering: Promise<void> | undefined;
  #cancel: (() => void) | undefined;

  constructor(options: StreamReaderOptions) {
    this.#options = options;
    this.#state = { size: options.stream.batchSize, failures: 0 };
  }

  get stream(): StreamResource {
    return this.#options.stream;
  }

  add(record: StreamRecord): void {
    const { patterns, windowMs } = this.stream;
    if (patterns.length > 0 && !patterns.some((pattern) => matchesPattern(pattern, record))) return;
    this.#waiting.push(record);
    if (this.#cancel === undefined && this.#delivering === undefined) this.#arm(windowMs);
  }

  /** Delivers what waits without waiting for more. What fails now is lost with the process. */
  async drain(): Promise<void> {
    this.stop();
    while (this.#waiting.length > 0) {
      const before = this.#waiting.length;
      this.stop();
      await (this.#delivering ?? this.#deliver());
      if (this.#waiting.length === before) break;
    }
    this.stop();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(waitMs: number): void {
    const { clock } = this.#options;
    this.#cancel = clock.schedule(clock.now() + waitMs, () => {
      this.#cancel = undefined;
      void this.#deliver();
    });
  }

  #deliver(): Promise<void> {
    this.#delivering ??= this.#next().finally(() => {
      this.#delivering = undefined;
    });
    return this.#delivering;
  }

  async #next(): Promise<void> {
    const { clock, stream, invoke, onFailed } = this.#options;
    const batch = this.#waiting.slice(0, this.#state.size);
    const requestId = randomUUID();
    const invoked = invoke(requestId, JSON.stringify({ Records: batch }));
    if (invoked === undefined) {
      this.#waiting.length = 0;
      return;
    }
    // Held until the consequences are drawn: what follows counts from when the invocation ended.
    const release = clock.hold();
    try {
      const outcome = await invoked;
      const plan = planBatch(batch, outcome, this.#state, stream, clock.now());
      if (plan.done < batch.length) onFailed(outcome, plan);
      const { failures } = this.#state;
      this.#state = plan.state;
      this.#waiting.splice(0, plan.done);
      if (plan.discarded > 0) {
        const given = this.#waiting.splice(0, plan.discarded);
        this.#options.onDiscarded(discardRecord(given, requestId, failures + 1, plan.condition, stream, clock.now()));
      }
      if (this.#waiting.length > 0) this.#arm(plan.waitMs);
    } finally {
      release();
    }
  }
}

/** What Lambda sends to the on-failure destination: where the records are, not what is in them. */
function discardRecord(
  batch: readonly StreamRecord[],
  requestId: string,
  invocations: number,
  condition: BatchPlan['condition'],
  { streamArn, functionArn }: StreamResource,
  now: number,
): object {
  const [first, last] = [batch.at(0)?.dynamodb, batch.at(-1)?.dynamodb];
  const arrivedAt = (seconds = 0) => new Date(seconds * 1_000).toISOString();
  return {
    requestContext: { requestId, functionArn, condition, approximateInvokeCount: invocations },
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    version: '1.0',
    timestamp: new Date(now).toISOString(),
    DDBStreamBatchInfo: {
      shardId: 'shardId-00000000000000000000-local',
      startSequenceNumber: first?.SequenceNumber,
      endSequenceNumber: last?.SequenceNumber,
      approximateArrivalOfFirstRecord: arrivedAt(first?.ApproximateCreationDateTime),
      approximateArrivalOfLastRecord: arrivedAt(last?.ApproximateCreationDateTime),
      batchSize: batch.length,
      streamArn,
    },
  };
}
