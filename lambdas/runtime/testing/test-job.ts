import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { MemoryRunStore } from '../../../lib/adapters/memory-run-store/memory-run-store.ts';
import { BelfryError } from '../../../lib/domain/errors.ts';
import type { JobDefinition, Trigger } from '../../../lib/domain/job.ts';
import type { RunRecord } from '../../../lib/domain/run/run-record.ts';
import { formatInstant } from '../../../lib/domain/time/instant.ts';
import { type defineJob, jobHandlerOf } from '../define-job.ts';
import type { RuntimeDependencies } from '../dependencies.ts';
import type { JobHandler } from '../job-run.ts';
import { type RunOutcome, runOnce } from '../run-once.ts';
import { SettableClock } from './settable-clock.ts';

export interface TestJobOptions {
  /** The occurrence to carry out: epoch milliseconds, a Date, or ISO text, on a whole second. */
  readonly scheduledTime: number | Date | string;
  /** When it is delivered. Default: at its scheduled time. Pass a clock to move time from inside the handler. */
  readonly now?: number | Date | string | SettableClock;
  /** What differs from a job of one attempt, five minutes, UTC, overlap `skip`. */
  readonly job?: Partial<JobDefinition>;
  readonly trigger?: Trigger;
  /** Pass the same store again to test one run after another. */
  readonly store?: MemoryRunStore<TransactWriteItem>;
  /** Most deliveries until the run is finished; later ones come when the next attempt is due. Default 50. */
  readonly maxDeliveries?: number;
}

export interface TestJobResult {
  /** What each delivery came to. */
  readonly deliveries: readonly RunOutcome[];
  /** The run's record at the end. */
  readonly run: RunRecord;
  /** DynamoDB items that the handler committed, of all runs on this store. */
  readonly committed: readonly TransactWriteItem[];
  /** The structured lines, parsed, metrics lines included. */
  readonly lines: readonly Record<string, unknown>[];
  readonly store: MemoryRunStore<TransactWriteItem>;
  readonly clock: SettableClock;
}

/** Beyond the job's timeout, as the construct gives its function. */
const LAMBDA_RESERVE_MS = 5_000;

/**
 * Carries out one occurrence with this handler on a store in memory and a clock that never waits: retries, continuations
 * and deadlines pass in no time.
 * @param handler What `defineJob` returned, or the plain function.
 */
export function testJob(handler: JobHandler, options: TestJobOptions): Promise<TestJobResult>;
export function testJob(handler: ReturnType<typeof defineJob>, options: TestJobOptions): Promise<TestJobResult>;
export async function testJob(
  handler: JobHandler | ReturnType<typeof defineJob>,
  options: TestJobOptions,
): Promise<TestJobResult> {
  const scheduledTime = new Date(options.scheduledTime).getTime();
  const clock = options.now instanceof SettableClock ? options.now : new SettableClock(options.now ?? scheduledTime);
  const store = options.store ?? new MemoryRunStore<TransactWriteItem>();
  const job = testDefinition(options.job);
  const lines: Record<string, unknown>[] = [];
  const { handler: inner, checkpointVersion } = jobHandlerOf(handler) ?? { handler: handler as JobHandler };
  let tokens = 0;
  const dependencies: RuntimeDependencies = {
    job,
    environment: 'test',
    scheduler: 'test',
    store,
    clock,
    newClaimToken: () => `${clock.now()}-${++tokens}`,
    print: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  };
  const event = { job: job.name, scheduledTime: formatInstant(scheduledTime), trigger: options.trigger ?? 'schedule' };
  const deliveries: RunOutcome[] = [];
  for (;;) {
    const endsAt = clock.now() + job.timeoutMs + LAMBDA_RESERVE_MS;
    const context = {
      awsRequestId: `request-${deliveries.length + 1}`,
      invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${job.name}`,
      getRemainingTimeInMillis: () => endsAt - clock.now(),
    };
    const version = checkpointVersion === undefined ? {} : { checkpointVersion };
    deliveries.push(await runOnce(dependencies, event, inner, context, version));
    const run = await store.getRun({ job: job.name, scheduledTime });
    if (run === undefined) throw notRecorded(deliveries);
    const waits = run.status === 'pending' && deliveries.length < (options.maxDeliveries ?? 50);
    if (!waits) return { deliveries, run, committed: store.effects, lines, store, clock };
    clock.set(Math.max(clock.now(), run.nextAttemptAt ?? 0));
  }
}

function testDefinition(overrides: Partial<JobDefinition> = {}): JobDefinition {
  return {
    name: 'job-under-test',
    schedule: '* * * * *',
    timeZone: 'UTC',
    dst: {},
    timeoutMs: 300_000,
    retry: { maxAttempts: 1, backoff: 'fixed', initialDelayMs: 10_000, maxDelayMs: 10_000 },
    overlap: 'skip',
    startGraceMs: 60_000,
    revision: 'test',
    ...overrides,
  };
}

function notRecorded(deliveries: readonly RunOutcome[]): BelfryError {
  const outcome = deliveries.at(-1)?.outcome;
  return new BelfryError(
    'NotRecorded',
    `the occurrence left no record, its delivery came to '${outcome}': let 'now' be at most 31 days after 'scheduledTime'`,
  );
}
