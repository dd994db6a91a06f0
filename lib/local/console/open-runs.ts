import type { OccurrenceKey } from '../../domain/contract/occurrence-key.ts';
import { isFinished, type RunRecord } from '../../domain/run/run-record.ts';

/** How long after it was due, by the clock, an occurrence may have no record before it is no longer looked for. */
const PATIENCE_MS = 10 * 60_000;
const MOST_AT_ONCE = 1_000;

type ReadRuns = (keys: readonly OccurrenceKey[]) => Promise<readonly RunRecord[]>;

/** Runs that may still change, and what they were when somebody was told of them last. */
export class OpenRuns {
  readonly #entries = new Map<string, { readonly key: OccurrenceKey; seen: string }>();
  readonly #read: ReadRuns;
  /** Occurrences to come of which it was told that they are skipped. */
  #skipped: ReadonlySet<string> = new Set();

  constructor(read: ReadRuns) {
    this.#read = read;
  }

  /** Looks at this run from now on, until it has its outcome. */
  watch({ job, scheduledTime }: OccurrenceKey): void {
    const name = nameOf({ job, scheduledTime });
    this.#entries.set(name, { key: { job, scheduledTime }, seen: this.#entries.get(name)?.seen ?? '' });
  }

  /** Those of these occurrences to come that somebody skipped, here or elsewhere, each told once. */
  async skippedAhead(keys: readonly OccurrenceKey[]): Promise<RunRecord[]> {
    const skipped = (await this.#read(keys)).filter(({ status }) => status === 'skipped');
    const news = skipped.filter((run) => !this.#skipped.has(nameOf(run)));
    this.#skipped = new Set(skipped.map(nameOf));
    return news;
  }

  /** Reads them again and returns those that moved. */
  async moved(now: number): Promise<RunRecord[]> {
    const watched = [...this.#entries].slice(0, MOST_AT_ONCE);
    if (watched.length === 0) return [];
    const found = new Map((await this.#read(watched.map(([, { key }]) => key))).map((run) => [nameOf(run), run]));
    const moved: RunRecord[] = [];
    for (const [name, entry] of watched) {
      const run = found.get(name);
      if (run === undefined) {
        if (now > entry.key.scheduledTime + PATIENCE_MS) this.#entries.delete(name);
        continue;
      }
      const state = JSON.stringify([run.status, run.attempts, run.nextAttemptAt, run.updatedAt, run.error]);
      if (state !== entry.seen) moved.push(run);
      entry.seen = state;
      if (isFinished(run)) this.#entries.delete(name);
    }
    return moved;
  }
}

function nameOf({ job, scheduledTime }: OccurrenceKey): string {
  return `${job} ${scheduledTime}`;
}
