import type { StreamResource } from '../assembly/resources.ts';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import type { FunctionFleet } from '../function-fleet.ts';
import { readErrorPayload } from '../lambda/invocation-outcome.ts';
import type { LocalEvent } from '../local-event.ts';
import type { LocalQueues } from '../queues/local-queues.ts';
import { StreamReader } from './stream-reader.ts';
import { type ItemChange, streamRecord } from './stream-record.ts';

export interface TableStreamsOptions {
  readonly clock: VirtualClock;
  readonly fleet: Pick<FunctionFleet, 'byArn'>;
  readonly queues: LocalQueues;
  readonly emit: (event: LocalEvent) => void;
}

/** Brings the changes of tables to the functions that listen to their streams. One shard each: everything is in order. */
export class TableStreams {
  readonly #options: TableStreamsOptions;
  readonly #readers = new Map<string, StreamReader>();
  #sequence = 0;

  constructor(options: TableStreamsOptions, streams: readonly StreamResource[]) {
    this.#options = options;
    this.setStreams(streams);
  }

  /** The tables whose changes somebody wants. */
  get tables(): ReadonlySet<string> {
    return new Set([...this.#readers.values()].map(({ stream }) => stream.tableName));
  }

  /** A stream that is read as before keeps what waits in it. */
  setStreams(streams: readonly StreamResource[]): void {
    const names = new Set(streams.map(({ name }) => name));
    for (const [name, reader] of this.#readers) {
      if (names.has(name)) continue;
      reader.stop();
      this.#readers.delete(name);
    }
    for (const stream of streams) {
      if (!this.#readers.has(stream.name)) this.#readers.set(stream.name, this.#reader(stream));
    }
  }

  /** Called for every write, in order. */
  changed(change: ItemChange): void {
    const sequence = ++this.#sequence;
    for (const reader of this.#readers.values()) {
      const { tableName, streamArn } = reader.stream;
      if (tableName !== change.tableName) continue;
      const record = streamRecord(change, { streamArn, sequence, now: this.#options.clock.now() });
      if (record !== undefined) reader.add(record);
    }
  }

  /** Delivers what waits. */
  async drain(): Promise<void> {
    await Promise.all([...this.#readers.values()].map((reader) => reader.drain()));
  }

  #reader(stream: StreamResource): StreamReader {
    const { clock, fleet, queues, emit } = this.#options;
    return new StreamReader({
      clock,
      stream,
      invoke: (requestId, payload) => fleet.byArn(stream.functionArn)?.invoke(requestId, payload),
      onFailed: (outcome, { discarded }) => {
        const { errorType, errorMessage } = readErrorPayload(outcome.payload);
        const why = outcome.ok ? 'could not take all records' : `${errorType}: ${errorMessage}`;
        const then = discarded > 0 ? `; ${discarded} given up` : '; it gets them again';
        emit({ type: 'note', level: 'warn', text: `changes of ${stream.tableName}: ${why}${then}` });
      },
      onDiscarded: (record) => {
        if (stream.onFailureArn !== undefined) queues.sendTo(stream.onFailureArn, JSON.stringify(record));
      },
    });
  }
}
