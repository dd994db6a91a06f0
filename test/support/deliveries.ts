import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import {
  type InvocationContext,
  type JobHandler,
  type RunOutcome,
  type RuntimeDependencies,
  runOnce,
} from '../../lambdas/runtime/index.ts';
import { SettableClock } from '../../lambdas/runtime/testing/index.ts';
import type { TurnMemory } from '../../lambdas/runtime/turn-memory.ts';
import { BelfryError } from '../../lib/domain/errors.ts';
import type { JobDefinition } from '../../lib/domain/job.ts';
import type { RunStore, WakeUp } from '../../lib/domain/ports.ts';
import type { RunRecord } from '../../lib/domain/run/run-record.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import { jobDefinition } from './job-definition.ts';
import type { StoreUnderTest } from './run-stores.ts';

type Store = RunStore<TransactWriteItem>;
export type StoreMethod = keyof Store;
/** What becomes of one request to the store. */
export type Fate = 'deliver' | 'loseRequest' | 'loseResponse';

export interface DeliveryOptions {
  readonly scheduledTime?: number;
  readonly remainingMs?: number;
  readonly event?: object;
  readonly clock?: SettableClock;
  readonly requestId?: string;
  readonly store?: Store;
  /** What the process remembers of earlier deliveries. Default: nothing, a process of its own */
  readonly turns?: TurnMemory;
}

let serial = 0;

/** Deliveries of one job, with everything around them in the test's hands: clock, store faults, wake-ups, crashes. */
export class Deliveries {
  readonly job: JobDefinition;
  readonly clock: SettableClock;
  readonly under: StoreUnderTest;
  readonly at: number;
  readonly lines: Record<string, unknown>[] = [];
  readonly wakeUps: WakeUp[] = [];
  /** Decides about each request of the runs, with how many of this method came before. */
  fate: (method: StoreMethod, count: number) => Fate = () => 'deliver';
  readonly requests: StoreMethod[] = [];
  #tokens = 0;

  constructor(under: StoreUnderTest, overrides: Partial<JobDefinition> = {}, at = Date.parse('2026-11-02T13:00:00Z')) {
    this.under = under;
    this.at = at;
    this.job = jobDefinition({ name: `scenario-${++serial}`, timeoutMs: 60_000, ...overrides });
    this.clock = new SettableClock(at);
  }

  get store(): Store {
    return faulty(this.under.store, (method) => {
      const count = this.requests.filter((one) => one === method).length;
      this.requests.push(method);
      return this.fate(method, count);
    });
  }

  dependencies(options: DeliveryOptions = {}): RuntimeDependencies {
    return {
      job: this.job,
      environment: 'test',
      scheduler: 'test',
      store: options.store ?? this.store,
      ...(options.turns === undefined ? {} : { turns: options.turns }),
      clock: options.clock ?? this.clock,
      newClaimToken: () => `token-${++this.#tokens}`,
      print: (line) => void this.lines.push(JSON.parse(line) as Record<string, unknown>),
      wakeUps: { arm: async (wakeUp) => void this.wakeUps.push(wakeUp) },
    };
  }

  deliver(handler: JobHandler, options: DeliveryOptions = {}): Promise<RunOutcome> {
    const clock = options.clock ?? this.clock;
    const endsAt = clock.now() + (options.remainingMs ?? this.job.timeoutMs + 5_000);
    const context: InvocationContext = {
      awsRequestId: options.requestId ?? `request-${this.requests.length}`,
      invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:job',
      getRemainingTimeInMillis: () => endsAt - clock.now(),
    };
    const scheduledTime = formatInstant(options.scheduledTime ?? this.at);
    const event = { job: this.job.name, scheduledTime, revision: 'r1', ...options.event };
    return runOnce(this.dependencies(options), event, handler, context);
  }

  /** Delivers, and lets the process die while the handler works. Resolves once it has begun. */
  async crash(options: DeliveryOptions & { readonly before?: JobHandler } = {}): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const dying: JobHandler = async (run) => {
        await options.before?.(run);
        resolve();
        await new Promise(() => {});
      };
      // A dead process has no timers: its clock stands still from here on.
      const clock = options.clock ?? new SettableClock(this.clock.now());
      this.deliver(dying, { ...options, clock }).then(
        (outcome) => reject(new Error(`it did not start: ${outcome.outcome}`)),
        reject,
      );
    });
  }

  /** Beyond the lease of an invocation that began now, and the margin. */
  passLease(): void {
    this.clock.advance(this.job.timeoutMs + 5_000 + 3_000 + 5_000 + 1);
  }

  async record(scheduledTime = this.at): Promise<RunRecord> {
    const run = await this.under.store.getRun({ job: this.job.name, scheduledTime });
    if (run === undefined) throw new Error(`no record of ${formatInstant(scheduledTime)}`);
    return run;
  }

  linesOf(event: string): Record<string, unknown>[] {
    return this.lines.filter((line) => line.event === event);
  }
}

function faulty(store: Store, decide: (method: StoreMethod) => Fate): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...parts: unknown[]) => {
        const fate = decide(name as StoreMethod);
        if (fate === 'loseRequest') throw unavailable();
        const answer: unknown = await Reflect.apply(value, target, parts);
        if (fate === 'loseResponse') throw unavailable();
        return answer;
      };
    },
  });
}

function unavailable(): BelfryError {
  return new BelfryError('StoreUnavailable', 'the run table did not answer');
}
