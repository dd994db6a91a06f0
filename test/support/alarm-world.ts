import { runOnce } from '../../lambdas/runtime/index.ts';
import type { JobRun } from '../../lambdas/runtime/job-run.ts';
import { reportLines } from '../../lambdas/watchdog/report.ts';
import type { SweepDependencies } from '../../lambdas/watchdog/sweep.ts';
import { TimingMemory } from '../../lambdas/watchdog/timing-memory.ts';
import { watchManifest } from '../../lambdas/watchdog/watched-manifest.ts';
import { MemoryRunStore } from '../../lib/adapters/memory-run-store/memory-run-store.ts';
import { BelfryError } from '../../lib/domain/errors.ts';
import type { JobDefinition } from '../../lib/domain/job.ts';
import { parseSchedule } from '../../lib/domain/schedule/parse-schedule.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import { AlarmEvaluator } from '../../lib/local/alarms/alarm-evaluator.ts';
import { readEmbeddedMetrics } from '../../lib/local/alarms/embedded-metrics.ts';
import type { AlarmResource } from '../../lib/local/assembly/resources.ts';
import { VirtualClock } from '../../lib/local/clock/virtual-clock.ts';
import { SimulatedTime } from '../simulation/simulated-time.ts';
import { MemoryJobStates } from './memory-job-states.ts';
import { MemoryWatchStore } from './memory-watch-store.ts';
import { inWords, RecordingNotifier } from './recording-notifier.ts';
import { stepTo } from './step-clock.ts';
import { sweepOnce } from './sweep-once.ts';
import { rowOf } from './watch-world.ts';

const MINUTE = 60_000;
const LAMBDA_RETRIES_AFTER = [MINUTE, 2 * MINUTE];

/** What an attempt does. Times in milliseconds. */
export interface Behaviour {
  /** How long the handler works. Default: two seconds. */
  readonly worksMs?: number;
  /** And then throws. */
  readonly throws?: true;
  /** Its process is killed so long after the attempt began. */
  readonly killedAfterMs?: number;
  /** What it says of its progress every fifteen seconds. */
  readonly progress?: readonly [done: number, total: number];
}

/** What goes wrong; everything that is left out goes well. */
export interface Troubles {
  /** When a firing arrives, milliseconds after its time: none when it is lost, several when it is doubled. */
  readonly firing?: (job: string, scheduledTime: number) => readonly number[];
  /** Firings beyond the schedule. */
  readonly stray?: readonly { readonly job: string; readonly scheduledTime: number }[];
  /** Whether a process of the function gets as far as to claim the run. */
  readonly starts?: (job: string, minute: number) => boolean;
  readonly attempt?: (job: string, scheduledTime: number, attempt: number) => Behaviour;
  /** The sweep of a minute: it does not take place, or is killed before its place is saved. */
  readonly sweep?: (minute: number) => 'none' | 'killed' | undefined;
  /** The watchdog's deliveries are refused. */
  readonly refuses?: (minute: number) => boolean;
  /** The table refuses everything that the watchdog or a function asks of it. */
  readonly unavailable?: (who: 'watchdog' | 'function', minute: number) => boolean;
  /** Lambda does not try again what crashed. */
  readonly lambdaForgets?: true;
  /** How much later than usual what the sweep of a minute prints becomes a metric, in milliseconds. */
  readonly lateLines?: (minute: number) => number;
}

/** What AWS promises nobody. */
export interface Pace {
  /** When within its minute the watchdog is fired, in milliseconds. Default: 20 seconds. */
  readonly sweepsAtMs?: number;
  /** Delays of metrics, and when within the minute alarms are evaluated. */
  readonly seed?: number;
}

const SNS_MS = 1_000;

/**
 * The runtime with real leases, the watchdog and the deployed alarms on a virtual clock: what the code prints is what the
 * alarms see. EventBridge Scheduler, Lambda and the table are played, in memory.
 */
export class AlarmWorld {
  readonly store = new MemoryRunStore();
  /** Each change of an alarm: its name without the environment, its new state, and the minute. */
  readonly changes: { readonly name: string; readonly state: string; readonly minute: number }[] = [];
  /** Everything printed, parsed; of metrics lines only what they say. */
  readonly lines: { readonly [key: string]: unknown }[] = [];
  /** What people are told. */
  readonly notifier = new RecordingNotifier();
  /** Everything that reaches a topic, from the watchdog and from alarms: what, and when, milliseconds from the beginning. */
  readonly received: { readonly what: string; readonly atMs: number }[] = [];
  /** Events that Lambda gave up. */
  deadLetters = 0;
  readonly #from: number;
  readonly #jobs: ReadonlyMap<string, JobDefinition>;
  readonly #troubles: Troubles;
  readonly #pace: Pace;
  readonly #time: SimulatedTime;
  readonly #clock: VirtualClock;
  readonly #evaluator: AlarmEvaluator;
  readonly #watchdog: SweepDependencies;
  #processes = 0;
  #deadLettersTold = 0;

  constructor(
    alarms: readonly AlarmResource[],
    from: number,
    jobs: readonly JobDefinition[],
    troubles: Troubles = {},
    pace: Pace = {},
  ) {
    this.#from = from;
    this.#pace = pace;
    this.#jobs = new Map(jobs.map((job) => [job.name, job]));
    this.#troubles = troubles;
    this.#time = new SimulatedTime(from);
    this.#clock = new VirtualClock({ from });
    this.#clock.pause();
    const queue = alarms.find(({ name }) => name.endsWith('DeadLetters'));
    this.#evaluator = new AlarmEvaluator({
      clock: this.#clock,
      alarms,
      ...(pace.seed === undefined ? {} : { seed: pace.seed }),
      onMessage: ({ alarm, state, at }) => {
        this.received.push({ what: `${alarm.name.replace(/^belfry-dev-jobs-/, '')} ${state}`, atMs: at - from });
      },
      onChange: ({ alarm, from: before, state, at }) => {
        if (before === 'INSUFFICIENT_DATA' && state === 'OK') return;
        const name = alarm.name.replace(/^belfry-dev-jobs-/, '');
        this.changes.push({ name, state, minute: Math.floor((at - from) / MINUTE) });
      },
      sample: (add) => {
        if (queue === undefined) return;
        const { namespace, metricName: name, dimensions } = queue;
        add({
          namespace,
          name,
          dimensions,
          value: this.deadLetters - this.#deadLettersTold,
          at: this.#clock.now() - 1,
        });
        this.#deadLettersTold = this.deadLetters;
      },
    });
    this.#clock.start();
    this.#evaluator.start();
    this.#watchdog = {
      manifest: watchManifest({
        version: 1,
        environment: 'dev',
        scheduler: 'belfry-dev-jobs',
        jobsStacks: 'dev/jobs',
        jobs,
      }),
      watchStore: this.#reachable('watchdog', new MemoryWatchStore()),
      runStore: this.#reachable('watchdog', this.store),
      jobStates: new MemoryJobStates(),
      timings: new TimingMemory(),
      telling: {
        ...this.notifier.telling,
        notifier: async () => ({
          notify: async (message) => {
            await this.notifier.notify(message);
            this.received.push({ what: inWords(message), atMs: this.#time.now + SNS_MS - from });
          },
        }),
      },
      audit: {
        rowsBetween: async (job, after, to) =>
          this.store
            .runs(job)
            .filter(({ scheduledTime }) => scheduledTime > after && scheduledTime <= to)
            .map(rowOf),
      },
      invoker: {
        deliver: async (event) => {
          if (this.#troubles.refuses?.(this.minute) === true) throw new Error('AccessDenied');
          const { scheduledTime, ...rest } = event;
          this.#invoke({ ...rest, scheduledTime: formatInstant(scheduledTime) }, this.#time.now + 1_000);
        },
      },
    };
    for (const { job, scheduledTime } of troubles.stray ?? []) this.#fire(job, scheduledTime);
  }

  get minute(): number {
    return Math.floor((this.#time.now - this.#from) / MINUTE);
  }

  get states(): readonly string[] {
    return [...this.#evaluator.states.values()];
  }

  /** The alarms that rang, each as often as it did. */
  get rang(): readonly string[] {
    return this.changes.flatMap(({ name, state }) => (state === 'ALARM' ? [name] : []));
  }

  async run(minutes: number): Promise<void> {
    for (let n = 0; n < minutes; n++) {
      const until = this.#time.now + MINUTE;
      for (const { name, schedule, timeZone, dst } of this.#jobs.values()) {
        for (const at of parseSchedule(schedule, { timeZone, dst }).between(this.#time.now - 1, until - 1)) {
          this.#fire(name, at);
        }
      }
      this.#time.at(this.#time.now + (this.#pace.sweepsAtMs ?? 20_000), 0, () => void this.#sweep());
      while ((this.#time.next ?? until) < until) {
        this.#time.passNext();
        // Whatever this has set off works in memory: it has happened before the next turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
      this.#time.now = until;
      stepTo(this.#clock, until);
    }
  }

  #fire(job: string, scheduledTime: number): void {
    const event = { job, scheduledTime: formatInstant(scheduledTime), revision: this.#jobs.get(job)?.revision };
    for (const delay of this.#troubles.firing?.(job, scheduledTime) ?? [0]) this.#invoke(event, scheduledTime + delay);
  }

  async #sweep(): Promise<void> {
    const trouble = this.#troubles.sweep?.(this.minute);
    if (trouble === 'none') return;
    const startedAt = this.#time.now;
    const { watchStore } = this.#watchdog;
    const killed = { ...this.#watchdog, watchStore: mortal(watchStore, (name) => name !== 'save') };
    // A killed one says nothing; one that fails says so in the log alone.
    const report = await sweepOnce(trouble === 'killed' ? killed : this.#watchdog, startedAt).catch(() => undefined);
    if (report === undefined) return;
    const times = { scheduler: 'belfry-dev-jobs', startedAt, endedAt: this.#time.now };
    const late = this.#troubles.lateLines?.(this.minute) ?? 0;
    for (const line of reportLines(report, times)) this.#print(line, late);
  }

  #invoke(event: { readonly job: string; readonly scheduledTime: string }, at: number, delivery = 0): void {
    this.#time.at(at, 0, () => {
      const owner = ++this.#processes;
      let isOver = false;
      const end = (crashed: boolean) => {
        if (isOver) return;
        isOver = true;
        this.#time.forget(owner);
        if (!crashed) return;
        const retryAfter = this.#troubles.lambdaForgets ? undefined : LAMBDA_RETRIES_AFTER[delivery];
        if (retryAfter !== undefined) this.#invoke(event, this.#time.now + retryAfter, delivery + 1);
        else if (!this.#troubles.lambdaForgets) this.deadLetters++;
      };
      const job = this.#jobs.get(event.job);
      if (job === undefined) return;
      if (this.#troubles.starts?.(job.name, this.minute) === false) return end(true);
      const endsAt = this.#time.now + job.timeoutMs + 5_000;
      this.#time.at(endsAt, owner, () => end(true));
      const dependencies = {
        job,
        environment: 'dev',
        scheduler: 'belfry-dev-jobs',
        store: mortal(this.#reachable('function', this.store), () => !isOver),
        clock: this.#time.clockOf(owner, 0),
        newClaimToken: () => `token-${owner}`,
        print: (line: string) => this.#print(line),
        wakeUps: {
          arm: async ({ at: wakeAt }: { readonly at: number }) => this.#invoke(event, wakeAt),
        },
      };
      const context = {
        awsRequestId: `request-${owner}`,
        invokedFunctionArn: 'arn',
        getRemainingTimeInMillis: () => endsAt - this.#time.now,
      };
      const handler = (run: JobRun) => this.#handle(run, owner, end);
      runOnce(dependencies, event, handler, context).then(
        () => end(false),
        () => end(true),
      );
    });
  }

  async #handle(run: JobRun, owner: number, end: (crashed: boolean) => void): Promise<void> {
    const { jobName, scheduledTime, attempt } = run;
    const behaviour = this.#troubles.attempt?.(jobName, scheduledTime.getTime(), attempt) ?? {};
    const { worksMs = 2_000, throws, killedAfterMs, progress } = behaviour;
    if (killedAfterMs !== undefined) this.#time.at(this.#time.now + killedAfterMs, owner, () => end(true));
    for (let left = worksMs; left > 0; left -= 15_000) {
      await this.#time.sleep(owner, Math.min(left, 15_000));
      if (progress !== undefined) await run.progress(...progress);
    }
    if (throws) throw new Error('no');
  }

  #print(text: string, late = 0): void {
    const line = JSON.parse(text) as { readonly [key: string]: unknown };
    this.lines.push(line);
    for (const datum of readEmbeddedMetrics(line)) {
      if (late === 0) this.#evaluator.add(datum);
      else this.#clock.schedule(this.#time.now + late, () => this.#evaluator.add(datum));
    }
  }

  #reachable<Store extends object>(who: 'watchdog' | 'function', store: Store): Store {
    return intercepted(store, (_, call) => {
      if (this.#troubles.unavailable?.(who, this.minute) !== true) return call();
      return Promise.reject(new BelfryError('StoreUnavailable', 'refused for want of capacity'));
    });
  }
}

/** A store whose caller is killed: what it asks while it may not has no answer. */
function mortal<Store extends object>(store: Store, mayAsk: (method: string) => boolean): Store {
  return intercepted(store, (name, call) => (mayAsk(name) ? call() : new Promise(() => {})));
}

function intercepted<Store extends object>(
  store: Store,
  around: (method: string, call: () => unknown) => unknown,
): Store {
  return new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...parameters: unknown[]) => around(String(name), () => Reflect.apply(method, target, parameters));
    },
  });
}
