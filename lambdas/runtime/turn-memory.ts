import { succeededThrough } from '../../lib/domain/run/plan-overlap.ts';
import { type Claim, isFinishedStatus, type RunStatus, type TurnRecord } from '../../lib/domain/run/run-record.ts';

/** A turn whose holder is finished, as this process left it. */
export interface FreeTurn {
  readonly turn: TurnRecord & { readonly holder: number };
  /** Up to where runs have succeeded. */
  readonly windowFrom?: number;
}

interface TakenTurn {
  readonly turn: TurnRecord & { readonly holder: number };
  /** Undefined while the run is at work, or when how it ended is not known for sure. */
  readonly status?: RunStatus;
}

/**
 * The turns that runs of this process took last, so that the next run need not read what it would most likely find. What
 * has happened since is noticed where it counts: the write that takes a remembered turn is refused if the turn moved on
 * or the job was paused. A finished run stays finished, so nothing else could have changed.
 */
export class TurnMemory {
  readonly #taken = new Map<string, TakenTurn>();

  /** The claim's run has the turn now. */
  took({ job, scheduledTime }: Claim, seen: TurnRecord, windowFrom: number | undefined): void {
    const window = windowFrom === undefined ? {} : { windowFrom };
    this.#taken.set(job, { turn: { job, holder: scheduledTime, version: seen.version + 1, ...window } });
  }

  ended({ job, scheduledTime }: Claim, status: RunStatus | 'fenced'): void {
    const taken = this.#taken.get(job);
    if (taken?.turn.holder !== scheduledTime) return;
    if (status !== 'fenced' && isFinishedStatus(status)) this.#taken.set(job, { ...taken, status });
    else this.#taken.delete(job);
  }

  /** The job's turn, if this process had it last as far as it knows, and is done with it. */
  free(job: string): FreeTurn | undefined {
    const taken = this.#taken.get(job);
    if (taken?.status === undefined) return undefined;
    const { turn, status } = taken;
    const windowFrom = succeededThrough(turn, { status, scheduledTime: turn.holder });
    return { turn, ...(windowFrom === undefined ? {} : { windowFrom }) };
  }

  forget(job: string): void {
    this.#taken.delete(job);
  }
}
