import { createWriteStream, type WriteStream } from 'node:fs';
import { type MetricDatum, readEmbeddedMetrics } from './alarms/embedded-metrics.ts';
import type { LocalEvent } from './local-event.ts';
import { placeIn } from './source-positions.ts';

export interface FunctionOutputOptions {
  /** File that gets every line. */
  readonly file: string;
  readonly emit: (event: LocalEvent) => void;
  readonly addMetric: (datum: MetricDatum) => void;
}

/** Lines are written together when they come this close: at high speed hundreds come in a second. */
const FLUSH_MS = 25;

/** What a function prints: kept in its log, read for runs, missed occurrences and metrics. */
export class FunctionOutput {
  readonly #options: FunctionOutputOptions;
  #log: WriteStream | undefined;
  #lines = '';
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;

  constructor(options: FunctionOutputOptions) {
    this.#options = options;
  }

  line(text: string): void {
    this.#lines += `${text}\n`;
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
    if (!text.startsWith('{')) return;
    const record = parse(text);
    if (record === undefined) return;
    if ('_aws' in record) for (const datum of readEmbeddedMetrics(record)) this.#options.addMetric(datum);
    if (record.event === 'run') this.#options.emit(runEvent(record));
    if (record.event === 'missed') {
      const { job, scheduledTime, cause, at } = record;
      this.#options.emit({
        type: 'missed',
        job: String(job),
        scheduledTime: String(scheduledTime),
        cause: String(cause),
        at: String(at),
      });
    }
    if (record.event === 'missedMore') {
      const text = `${record.job} missed ${record.count} more, ${record.from} to ${record.to}`;
      this.#options.emit({ type: 'note', level: 'warn', text });
    }
  }

  async close(): Promise<void> {
    this.#flush();
    const log = this.#log;
    if (log === undefined || log.destroyed) return;
    await new Promise<void>((resolve) => log.end(() => resolve()));
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines === '') return;
    this.#log ??= this.#open();
    this.#log.write(this.#lines, (error) => {
      if (error === null || error === undefined) this.#isFailing = false;
    });
    this.#lines = '';
  }

  /** A stream that fails is no good any more: the next lines try with another, and one that fails as well is not told again. */
  #open(): WriteStream {
    const log = createWriteStream(this.#options.file, { flags: 'a' });
    return log.on('error', (error) => {
      if (this.#log === log) this.#log = undefined;
      if (this.#isFailing) return;
      this.#isFailing = true;
      const text = `the log ${this.#options.file} cannot be written: ${error.message}; what is printed until it can is not kept`;
      this.#options.emit({ type: 'note', level: 'error', text });
    });
  }
}

function parse(text: string): { readonly [key: string]: unknown } | undefined {
  try {
    return JSON.parse(text) as { readonly [key: string]: unknown };
  } catch {
    return undefined;
  }
}

function runEvent(record: { readonly [key: string]: unknown }): LocalEvent {
  const error = record.error as
    | { readonly name?: unknown; readonly message?: unknown; readonly stack?: unknown }
    | undefined;
  const place = placeIn(String(error?.stack ?? ''));
  return {
    type: 'run',
    job: String(record.job),
    scheduledTime: String(record.scheduledTime),
    status: String(record.status),
    attempt: Number(record.attempt),
    trigger: String(record.trigger),
    durationMs: Number(record.durationMs),
    at: String(record.at),
    ...(error === undefined
      ? {}
      : {
          error: `${String(error.name ?? 'Error')}: ${String(error.message ?? '')}${place === undefined ? '' : ` (${place})`}`,
        }),
  };
}
