import { type OccurrenceKey, occurrenceId } from '../../lib/domain/contract/occurrence-key.ts';
import type { Skip, WatchdogRunStore } from '../../lib/domain/ports.ts';
import type { RunRecord } from '../../lib/domain/run/run-record.ts';

/** Run records by key, for tests that play the runs' part themselves. Counts what it was asked. */
export class MemoryLedger implements WatchdogRunStore {
  readonly runs = new Map<string, RunRecord>();
  readonly requests = { getRuns: 0, keysRead: 0, writes: 0 };

  set(run: Partial<RunRecord> & OccurrenceKey): void {
    const defaults = { status: 'running', fencingToken: 1, attempts: 1, trigger: 'schedule' } as const;
    this.runs.set(occurrenceId(run), { ...defaults, ...run });
  }

  statusOf(key: OccurrenceKey): string | undefined {
    return this.runs.get(occurrenceId(key))?.status;
  }

  async getRuns(keys: readonly OccurrenceKey[]): Promise<readonly RunRecord[]> {
    this.requests.getRuns += 1;
    this.requests.keysRead += keys.length;
    return keys.map((key) => this.runs.get(occurrenceId(key))).filter((run) => run !== undefined);
  }

  async recordMissed(key: OccurrenceKey, cause: string, now: number): Promise<boolean> {
    this.requests.writes += 1;
    if (this.runs.has(occurrenceId(key))) return false;
    this.set({ ...key, status: 'missed', cause, fencingToken: 0, attempts: 0, updatedAt: now });
    return true;
  }

  async closeExhausted(run: RunRecord, now: number): Promise<boolean> {
    return this.close(run, { cause: 'exhausted' }, now);
  }

  async skip(key: OccurrenceKey, { cause, trigger, evenIfQueued }: Skip, now: number): Promise<boolean> {
    this.requests.writes += 1;
    const found = this.runs.get(occurrenceId(key));
    if (found !== undefined && !(evenIfQueued && found.status === 'pending' && found.attempts === 0)) return false;
    const { fencingToken = 0, attempts = 0 } = found ?? {};
    this.set({ ...key, status: 'skipped', cause, trigger, fencingToken, attempts, updatedAt: now });
    return true;
  }

  async close(run: RunRecord, { cause }: { readonly cause: string }, now: number): Promise<boolean> {
    this.requests.writes += 1;
    const found = this.runs.get(occurrenceId(run));
    if (found?.status !== run.status || found.fencingToken !== run.fencingToken) return false;
    this.set({ ...found, status: 'failed', cause, updatedAt: now });
    return true;
  }
}
