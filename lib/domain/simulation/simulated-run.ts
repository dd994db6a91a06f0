import type { OccurrenceKey } from '../contract/occurrence-key.ts';

/** What becomes of one occurrence in a simulation. Instants are epoch milliseconds. */
export interface SimulatedRun extends OccurrenceKey {
  /**
   * Who delivers it: EventBridge Scheduler by itself, or the watchdog, for what Scheduler leaves out at a change of the
   * clocks and for what starts late. `nobody`: it never starts.
   */
  readonly deliveredBy: 'scheduler' | 'watchdog' | 'nobody';
  readonly status: 'succeeded' | 'failed' | 'skipped' | 'missed';
  readonly cause?: 'overlap' | 'gap' | 'excluded' | 'cancelled' | 'outage';
  readonly startedAt?: number;
  readonly endedAt?: number;
}

/** A time in which nothing is delivered. Epoch milliseconds; `to` exclusive: the first sweep after it is at `to`. */
export interface Outage {
  readonly from: number;
  readonly to: number;
}
