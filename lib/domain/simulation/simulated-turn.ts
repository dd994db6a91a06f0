import type { JobDefinition, OverlapPolicy } from '../job.ts';
import { type OverlapPlan, planOverlap } from '../run/plan-overlap.ts';
import type { RunRecord, TurnRecord } from '../run/run-record.ts';
import type { SimulatedRun } from './simulated-run.ts';

interface Going {
  readonly scheduledTime: number;
  readonly deliveredBy: 'scheduler' | 'watchdog';
  readonly startedAt: number;
  readonly endsAt: number;
}

/** Whose turn it is among the runs of one job, decided by the same plan as on AWS. Every run takes equally long. */
export class SimulatedTurn {
  readonly #job: string;
  readonly #policy: OverlapPolicy;
  readonly #durationMs: number;
  readonly #deliveredAt: (instant: number) => number;
  readonly #told: (run: SimulatedRun) => void;
  #holder: Going | undefined;
  #buffered: number | undefined;

  /** @param deliveredAt when something is delivered that is to be at an instant: then, or after the outage */
  constructor(
    job: Pick<JobDefinition, 'name' | 'overlap'>,
    durationMs: number,
    deliveredAt: (instant: number) => number,
    told: (run: SimulatedRun) => void,
  ) {
    this.#job = job.name;
    this.#policy = job.overlap;
    this.#durationMs = durationMs;
    this.#deliveredAt = deliveredAt;
    this.#told = told;
  }

  /** When the run that has the turn ends; undefined when nobody has it. */
  get freeAt(): number | undefined {
    return this.#holder?.endsAt;
  }

  /** Ends what is over by `instant`, and starts what waited for it. */
  settle(instant: number): void {
    while (this.#holder !== undefined && this.#holder.endsAt <= instant) {
      const { endsAt } = this.#holder;
      this.#end('succeeded', endsAt);
      if (this.#buffered === undefined) continue;
      const scheduledTime = this.#buffered;
      this.#buffered = undefined;
      this.#start(scheduledTime, this.#deliveredAt(endsAt), 'scheduler');
    }
  }

  /** Ends all that has begun or waits, however long it takes. */
  finish(): void {
    this.settle(Number.POSITIVE_INFINITY);
  }

  deliver(scheduledTime: number, now: number, deliveredBy: 'scheduler' | 'watchdog'): void {
    this.settle(now);
    const { action } = this.#plan(scheduledTime, now);
    if (action === 'skip') this.#tell({ scheduledTime, deliveredBy, status: 'skipped', cause: 'overlap' });
    else if (action === 'buffer') this.#buffered = scheduledTime;
    else {
      if (action === 'cancelHolder') this.#end('failed', now);
      this.#start(scheduledTime, now, deliveredBy);
    }
  }

  #plan(scheduledTime: number, now: number): OverlapPlan {
    const turn: TurnRecord = { job: this.#job, version: 1 };
    if (this.#holder === undefined || this.#policy === 'allow') return { action: 'proceed' };
    return planOverlap(this.#policy, {
      scheduledTime,
      trigger: 'schedule',
      now,
      marginMs: 0,
      turn,
      holder: this.#record(this.#holder.scheduledTime, 'running', this.#holder.endsAt),
      ...(this.#buffered === undefined ? {} : { buffered: this.#record(this.#buffered, 'pending', now) }),
    });
  }

  #record(scheduledTime: number, status: RunRecord['status'], leaseExpiresAt: number): RunRecord {
    return {
      job: this.#job,
      scheduledTime,
      status,
      fencingToken: 1,
      attempts: 1,
      trigger: 'schedule',
      leaseExpiresAt,
    };
  }

  #start(scheduledTime: number, startedAt: number, deliveredBy: Going['deliveredBy']): void {
    const going = { scheduledTime, deliveredBy, startedAt, endsAt: startedAt + this.#durationMs };
    if (this.#policy === 'allow') this.#tell({ ...ended(going, going.endsAt), status: 'succeeded' });
    else this.#holder = going;
  }

  #end(status: 'succeeded' | 'failed', endedAt: number): void {
    if (this.#holder === undefined) return;
    const run = ended(this.#holder, endedAt);
    this.#holder = undefined;
    this.#tell(status === 'failed' ? { ...run, status, cause: 'cancelled' } : { ...run, status });
  }

  #tell(run: Omit<SimulatedRun, 'job'>): void {
    this.#told({ job: this.#job, ...run });
  }
}

function ended({ scheduledTime, deliveredBy, startedAt }: Going, endedAt: number) {
  return { scheduledTime, deliveredBy, startedAt, endedAt };
}
