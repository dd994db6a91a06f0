import { type RuntimeDependencies, runOnce } from '../../../lambdas/runtime/index.ts';
import { SettableClock } from '../../../lambdas/runtime/testing/index.ts';
import { TurnMemory } from '../../../lambdas/runtime/turn-memory.ts';
import { Foresight } from '../../../lambdas/watchdog/foresight.ts';
import { reportLines } from '../../../lambdas/watchdog/report.ts';
import { type SweepDependencies, sweep } from '../../../lambdas/watchdog/sweep.ts';
import { TimingMemory } from '../../../lambdas/watchdog/timing-memory.ts';
import { watchManifest } from '../../../lambdas/watchdog/watched-manifest.ts';
import { DynamoDbLedger } from '../../../lib/adapters/dynamodb-run-store/dynamodb-ledger.ts';
import { DynamoDbRunStore } from '../../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { DynamoDbJobStates } from '../../../lib/adapters/dynamodb-watch-store/dynamodb-job-states.ts';
import { DynamoDbWatchStore } from '../../../lib/adapters/dynamodb-watch-store/dynamodb-watch-store.ts';
import type { JobDefinition, MetricsByJob } from '../../../lib/domain/job.ts';
import type { WakeUp } from '../../../lib/domain/ports.ts';
import { formatInstant } from '../../../lib/domain/time/instant.ts';
import { readEmbeddedMetrics } from '../../../lib/local/alarms/embedded-metrics.ts';
import { CountingDynamoDb } from './counting-dynamodb.ts';
import { lambdaLines, logBytes } from './lambda-lines.ts';

const START = Date.parse('2026-06-01T00:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TABLE = 'runs';
/** As the sample app's stack of jobs is called. */
const PREFIX = 'belfry-prod-jobs';
/** One run of so many fails in all its attempts. */
const ONE_FAILS_OF = 200;
const HANDLER_MS = 1_000;

export interface CountedHours {
  readonly hours: number;
  readonly runs: number;
  readonly failedRuns: number;
  readonly sweeps: number;
  /** Messages of the watchdog to people. */
  readonly messages: number;
  /** Invocations of jobs' functions: all of them by EventBridge Scheduler. */
  readonly invocations: number;
  readonly ofJobs: CountedPart;
  readonly ofWatchdog: CountedPart;
  /** Milliseconds in which invocations waited between two attempts. */
  readonly waitedMs: number;
  /** Milliseconds of the handlers themselves. */
  readonly handlerMs: number;
  /** Milliseconds of this machine's processor in sweeps. */
  readonly sweepCpuMs: number;
  /** Pairs of a metric (name and dimensions) and an hour in which it got data. */
  readonly metricHours: number;
  /** The same of those by job alone. */
  readonly metricHoursByJob: number;
  /** What DynamoDB stores of the runs. */
  readonly storedBytes: number;
}

export interface CountedPart {
  readonly requests: number;
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly logBytes: number;
}

/**
 * Hours of jobs that are due every hour, spread over its minutes, carried out by the deployed runtime and watched by the
 * deployed sweep. Every run starts in a process of its own, as after an idle hour. The hour before is not counted.
 */
export async function countHours(
  jobs: number,
  hours: number,
  metrics: MetricsByJob = 'failures',
): Promise<CountedHours> {
  const world = await World.open(jobs, metrics);
  await world.hour(-1);
  const before = world.snapshot();
  for (let hour = 0; hour < hours; hour++) await world.hour(hour);
  return world.since(before, hours);
}

interface Tally {
  runs: number;
  failedRuns: number;
  sweeps: number;
  messages: number;
  invocations: number;
  waitedMs: number;
  handlerMs: number;
  sweepCpuMs: number;
  jobs: CountedPart;
  watchdog: CountedPart;
}

type Snapshot = Readonly<Tally> & { readonly storedBytes: number };

const NOTHING: CountedPart = { requests: 0, writeUnits: 0, readUnits: 0, logBytes: 0 };

class World {
  readonly #db: CountingDynamoDb;
  readonly #jobs: readonly JobDefinition[];
  readonly #sweep: Omit<SweepDependencies, 'invoker'>;
  readonly #foresight = new Foresight();
  readonly #wakeUps: WakeUp[] = [];
  #metricHours = new Set<string>();
  #hour = 0;
  #time = START - HOUR;
  readonly #tally: Tally = {
    ...{ runs: 0, failedRuns: 0, sweeps: 0, messages: 0, invocations: 0, waitedMs: 0, handlerMs: 0, sweepCpuMs: 0 },
    jobs: NOTHING,
    watchdog: NOTHING,
  };

  private constructor(db: CountingDynamoDb, jobs: readonly JobDefinition[]) {
    this.#db = db;
    this.#jobs = jobs;
    const { client } = db;
    this.#sweep = {
      manifest: watchManifest({
        version: 1,
        scheduler: PREFIX,
        jobsStacks: PREFIX,
        environment: 'prod',
        jobs: [...jobs],
        functions: {},
      }),
      watchStore: new DynamoDbWatchStore(client, TABLE),
      runStore: new DynamoDbRunStore(client, TABLE),
      jobStates: new DynamoDbJobStates(client, TABLE),
      audit: new DynamoDbLedger(client, TABLE),
      timings: new TimingMemory(),
      telling: {
        notifier: async () => ({ notify: async () => void this.#tally.messages++ }),
        remindMs: 24 * HOUR,
        isQuiet: () => false,
      },
    };
  }

  static async open(count: number, metrics: MetricsByJob): Promise<World> {
    let now = () => START;
    const db = await CountingDynamoDb.open(TABLE, () => now());
    const world = new World(
      db,
      Array.from({ length: count }, (_, index) => hourly(index, metrics)),
    );
    now = () => world.#time;
    // Jobs that have run for long: their usual duration is known.
    const states = new DynamoDbJobStates(db.client, TABLE);
    for (const { name } of world.#jobs)
      await states.saveTiming(name, { averageMs: HANDLER_MS, samples: 100 }, undefined);
    return world;
  }

  async hour(hour: number): Promise<void> {
    this.#hour = hour;
    for (let minute = 0; minute < 60; minute++) {
      const at = START + hour * HOUR + minute * MINUTE;
      for (let index = minute; index < this.#jobs.length; index += 60) {
        const job = this.#jobs[index];
        if (job !== undefined) await this.#fire(job, at, this.#fails(index, hour));
      }
      await this.#wake(at + MINUTE);
      await this.#sweepAt(at + MINUTE + 5_000);
    }
  }

  /** Other jobs each hour, and exactly one run of so many. */
  #fails(index: number, hour: number): boolean {
    const perHour = this.#jobs.length;
    const serial = perHour % ONE_FAILS_OF === 0 ? index + hour * 7 : index + hour * perHour;
    return (serial + ONE_FAILS_OF) % ONE_FAILS_OF === ONE_FAILS_OF - 1;
  }

  async #fire(job: JobDefinition, at: number, fails: boolean): Promise<void> {
    this.#tally.runs++;
    if (fails) this.#tally.failedRuns++;
    await this.#invoke(
      job,
      { job: job.name, scheduledTime: formatInstant(at), revision: job.revision },
      at + 2_000,
      fails,
    );
  }

  async #invoke(job: JobDefinition, event: object, at: number, fails: boolean): Promise<void> {
    const lines: string[] = [];
    const clock = new SettableClock(at);
    const endsAt = at + job.timeoutMs + 5_000;
    let handlerMs = 0;
    const dependencies: RuntimeDependencies = {
      job,
      environment: 'prod',
      scheduler: PREFIX,
      store: new DynamoDbRunStore(this.#db.client, TABLE),
      turns: new TurnMemory(),
      clock,
      newClaimToken: () => crypto.randomUUID().slice(0, 23),
      print: (line) => void lines.push(`${line}\n`),
      wakeUps: { arm: async (wakeUp) => void this.#wakeUps.push(wakeUp) },
    };
    const context = {
      awsRequestId: crypto.randomUUID(),
      invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${PREFIX}_${job.name}`,
      getRemainingTimeInMillis: () => endsAt - clock.now(),
    };
    this.#tally.invocations++;
    this.#time = at;
    const used = await this.#using(async () => {
      await runOnce(
        dependencies,
        event,
        () => {
          const took = HANDLER_MS - 100 + ((at / 1_000) % 200);
          clock.advance(took);
          handlerMs += took;
          if (fails) throw new Error('the ledger service answered 503 Service Unavailable');
          return { rows: 3 };
        },
        context,
      );
      this.#see(lines);
      return [...lambdaLines({ isCold: true }), ...lines];
    });
    this.#tally.jobs = sum(this.#tally.jobs, used);
    this.#tally.handlerMs += handlerMs;
    this.#tally.waitedMs += clock.now() - at - handlerMs;
  }

  async #wake(until: number): Promise<void> {
    const due = this.#wakeUps.filter((wakeUp) => wakeUp.at <= until);
    for (const wakeUp of due) {
      this.#wakeUps.splice(this.#wakeUps.indexOf(wakeUp), 1);
      const job = this.#jobs.find(({ name }) => name === wakeUp.job);
      const { scheduledTime, revision, trigger } = wakeUp;
      const event = { job: wakeUp.job, scheduledTime: formatInstant(scheduledTime), revision, trigger };
      // Only what failed waits here.
      if (job !== undefined) await this.#invoke(job, event, wakeUp.at, true);
    }
  }

  async #sweepAt(now: number): Promise<void> {
    this.#time = now;
    this.#tally.sweeps++;
    const cpu = process.cpuUsage();
    const used = await this.#using(async () => {
      const runs = this.#foresight.runsAt(now, this.#sweep.runStore);
      const place = await this.#sweep.watchStore.load();
      const report = await sweep({ ...this.#sweep, runs, invoker: { deliver: async () => {} } }, place, now, 5_000);
      this.#foresight.remember(report.state, this.#sweep.manifest);
      const lines = reportLines(report, { scheduler: PREFIX, startedAt: now, endedAt: now + 100 }).map(
        (line) => `${line}\n`,
      );
      this.#see(lines);
      return [...lambdaLines({ isCold: false }), ...lines];
    });
    const { user, system } = process.cpuUsage(cpu);
    this.#tally.sweepCpuMs += (user + system) / 1_000;
    this.#tally.watchdog = sum(this.#tally.watchdog, used);
  }

  async #using(work: () => Promise<readonly string[]>): Promise<CountedPart> {
    const { requests, writeUnits, readUnits } = this.#db;
    const lines = await work();
    return {
      requests: this.#db.requests - requests,
      writeUnits: this.#db.writeUnits - writeUnits,
      readUnits: this.#db.readUnits - readUnits,
      logBytes: logBytes(lines),
    };
  }

  #see(lines: readonly string[]): void {
    for (const line of lines) {
      for (const { name, dimensions } of readEmbeddedMetrics(JSON.parse(line))) {
        this.#metricHours.add(JSON.stringify([this.#hour, name, dimensions.Job]));
      }
    }
  }

  snapshot(): Snapshot {
    this.#metricHours = new Set();
    return { ...this.#tally, storedBytes: this.#db.storedBytes };
  }

  since(before: Snapshot, hours: number): CountedHours {
    const now = this.#tally;
    const byJob = [...this.#metricHours].filter((one) => (JSON.parse(one) as unknown[])[2] !== null);
    return {
      hours,
      runs: now.runs - before.runs,
      failedRuns: now.failedRuns - before.failedRuns,
      sweeps: now.sweeps - before.sweeps,
      messages: now.messages - before.messages,
      invocations: now.invocations - before.invocations,
      ofJobs: sum(now.jobs, before.jobs, -1),
      ofWatchdog: sum(now.watchdog, before.watchdog, -1),
      waitedMs: now.waitedMs - before.waitedMs,
      handlerMs: now.handlerMs - before.handlerMs,
      sweepCpuMs: now.sweepCpuMs - before.sweepCpuMs,
      metricHours: this.#metricHours.size,
      metricHoursByJob: byJob.length,
      storedBytes: this.#db.storedBytes - before.storedBytes,
    };
  }
}

function sum(a: CountedPart, b: CountedPart, sign = 1): CountedPart {
  return {
    requests: a.requests + sign * b.requests,
    writeUnits: a.writeUnits + sign * b.writeUnits,
    readUnits: a.readUnits + sign * b.readUnits,
    logBytes: a.logBytes + sign * b.logBytes,
  };
}

/** As ScheduledJob declares it by default. */
function hourly(index: number, metrics: MetricsByJob): JobDefinition {
  return {
    name: `customer-report-${String(index).padStart(5, '0')}`,
    schedule: `${index % 60} * * * *`,
    timeZone: 'Europe/Berlin',
    dst: { gap: 'skip' },
    timeoutMs: 300_000,
    retry: { maxAttempts: 3, backoff: 'exponential', initialDelayMs: 10_000, maxDelayMs: 1_800_000 },
    overlap: 'skip',
    startGraceMs: MINUTE,
    catchUp: { policy: 'latest', maxAgeMs: HOUR, maxRuns: 1 },
    lease: 'invocation',
    onTimeout: 'retry',
    continuation: 'manual',
    maxSegments: 20,
    metrics,
    revision: '0123456789ab',
  };
}
