import type { SweepDependencies, SweepReport } from '../../lambdas/watchdog/sweep.ts';
import { TimingMemory } from '../../lambdas/watchdog/timing-memory.ts';
import { watchManifest } from '../../lambdas/watchdog/watched-manifest.ts';
import { MemoryRunStore } from '../../lib/adapters/memory-run-store/memory-run-store.ts';
import type { OccurrenceKey } from '../../lib/domain/contract/occurrence-key.ts';
import type { JobDefinition } from '../../lib/domain/job.ts';
import type { OccurrenceEvent } from '../../lib/domain/occurrence-event.ts';
import { DEFAULT_LEASE_TIMES, deadBefore } from '../../lib/domain/run/lease.ts';
import { planAdmission } from '../../lib/domain/run/plan-admission.ts';
import { parseSchedule } from '../../lib/domain/schedule/parse-schedule.ts';
import { creatableSchedules } from '../../lib/domain/translation/creatable-schedules.ts';
import { firingsBetween } from '../../lib/domain/translation/supplements.ts';
import { type AwsSchedule, translateSchedule } from '../../lib/domain/translation/translate-schedule.ts';
import { definitionHistory } from '../../lib/domain/verify/definition-history.ts';
import { JobCheck, type LedgerFinding, type LedgerRow, reconcileRenamed } from '../../lib/domain/verify/job-check.ts';
import { isPausedNow } from '../../lib/domain/watch/job-state.ts';
import type { RosterEntry } from '../../lib/domain/watch/watch-state.ts';
import { MemoryJobStates } from './memory-job-states.ts';
import { MemoryWatchStore } from './memory-watch-store.ts';
import { RecordingNotifier } from './recording-notifier.ts';
import type { SeededRandom } from './seeded-random.ts';
import { sweepOnce } from './sweep-once.ts';

const MINUTE = 60_000;

export interface Faults {
  /** EventBridge loses a firing, fires it twice, or fires it minutes late. Probabilities. */
  readonly drop?: number;
  readonly duplicate?: number;
  readonly late?: number;
  /** A delivery by the watchdog or by Lambda is lost. */
  readonly lose?: number;
  /** An attempt ends without a word, or fails. */
  readonly crash?: number;
  readonly fail?: number;
  /** A sweep does not take place, is killed half way, or happens twice at once. */
  readonly noSweep?: number;
  readonly killSweep?: number;
  readonly twoSweeps?: number;
}

interface Deployed {
  readonly definition: JobDefinition;
  readonly awsSchedules: readonly AwsSchedule[];
}

/**
 * EventBridge Scheduler, the jobs' functions and the watchdog on a virtual clock, a minute at a time, with whatever goes
 * wrong drawn from a seed. The jobs' part is played by the claims of the run store, without handlers.
 */
export class WatchWorld {
  now: number;
  readonly store = new MemoryRunStore();
  readonly watchStore = new MemoryWatchStore();
  readonly jobStates = new MemoryJobStates();
  readonly delivered: OccurrenceEvent[] = [];
  readonly notifier = new RecordingNotifier();
  readonly reports: SweepReport[] = [];
  faults: Faults = {};
  /** Nothing of AWS works: no firing, no sweep, no delivery. */
  outage = false;
  /** No sweep takes place. */
  watchdogDown = false;
  readonly #random: SeededRandom;
  #timings = new TimingMemory();
  readonly #queue: { readonly at: number; readonly act: () => Promise<void> }[] = [];
  #deployed = new Map<string, Deployed>();
  #manifest = watchManifest({ version: 1, environment: 'test', scheduler: 'test', jobsStacks: 'test/jobs', jobs: [] });
  #tokens = 0;

  constructor(random: SeededRandom, start: number) {
    this.#random = random;
    this.now = start;
  }

  /** Synthesised now, and in force at once. */
  deploy(jobs: readonly JobDefinition[]): void {
    this.#deployed = new Map(
      jobs.map((definition) => {
        const { schedule, timeZone, dst } = definition;
        const translated = translateSchedule(parseSchedule(schedule, { timeZone, dst }));
        return [definition.name, { definition, awsSchedules: creatableSchedules(translated, this.now).creatable }];
      }),
    );
    const awsSchedules = Object.fromEntries([...this.#deployed].map(([name, one]) => [name, one.awsSchedules]));
    this.#manifest = watchManifest({
      version: 1,
      environment: 'test',
      scheduler: 'test',
      jobsStacks: 'test/jobs',
      jobs,
      awsSchedules,
    });
    this.#timings = new TimingMemory();
  }

  /** Whether a sweep has seen the last deployment. */
  async knowsDeployment(): Promise<boolean> {
    return (await this.watchStore.load()).state?.epochs.at(-1)?.roster === this.#manifest.digest;
  }

  pause(job: string, until?: number): void {
    const state = this.jobStates.states.get(job);
    this.jobStates.states.set(job, { ...state, pause: until === undefined ? {} : { until } });
  }

  resume(job: string): void {
    const { pause: _, ...rest } = this.jobStates.states.get(job) ?? {};
    this.jobStates.states.set(job, rest);
  }

  async run(minutes: number): Promise<void> {
    for (let n = 0; n < minutes; n++) await this.#minute();
  }

  /** Without faults, until nothing is open any more. */
  async settle(): Promise<void> {
    this.faults = {};
    this.outage = false;
    this.watchdogDown = false;
    for (const job of this.jobStates.states.keys()) this.resume(job);
    for (let hours = 0; hours < 30; hours++) {
      await this.run(60);
      const old = this.store.runs().filter((run) => run.scheduledTime < this.now - 20 * MINUTE);
      if (old.every(({ status }) => status !== 'running' && status !== 'pending') && hours >= 3) return;
    }
  }

  /** What the proof has to say about everything that ever happened. */
  async verify(): Promise<{ readonly findings: readonly LedgerFinding[]; readonly expected: number }> {
    const { state } = await this.watchStore.load();
    const rosters = new Map<string, readonly RosterEntry[]>();
    for (const { roster } of state?.epochs ?? []) rosters.set(roster, await this.watchStore.loadRoster(roster));
    const histories = definitionHistory(state?.epochs ?? [], (digest) => rosters.get(digest) ?? []);
    const window = { from: Number.NEGATIVE_INFINITY, to: this.now, now: this.now };
    const first = state?.epochs[0]?.from ?? 0;
    let expected = 0;
    const checks = histories.map((history) => {
      const check = new JobCheck(history, { ...window, from: first });
      check.page(this.store.runs(history.job).map(rowOf));
      check.end();
      expected += check.counts.expected;
      return check;
    });
    return { findings: reconcileRenamed(checks), expected };
  }

  async #minute(): Promise<void> {
    const from = this.now;
    const until = from + MINUTE;
    for (const { definition, awsSchedules } of this.#deployed.values()) {
      for (const { everyMs, ...fires } of awsSchedules) {
        for (const at of firingsBetween([fires], from, until)) this.#fire(definition, at, everyMs);
      }
    }
    this.#at(until + this.#random.below(30_000), () => this.#sweep());
    for (;;) {
      const [next] = this.#queue;
      if (next === undefined || next.at > until) break;
      this.#queue.shift();
      this.now = next.at;
      await next.act();
    }
    this.now = until;
  }

  #fire({ name, revision }: JobDefinition, scheduledTime: number, everyMs: number | undefined): void {
    if (this.outage || this.#happens('drop')) return;
    const counted = everyMs === undefined ? {} : { everyMs };
    const event: OccurrenceEvent = { job: name, scheduledTime, trigger: 'schedule', revision, ...counted };
    const lateness = this.#happens('late') ? this.#random.below(10 * MINUTE) : this.#random.below(20_000);
    this.#at(scheduledTime + lateness, () => this.#take(event));
    if (this.#happens('duplicate')) this.#at(scheduledTime + this.#random.below(5 * MINUTE), () => this.#take(event));
  }

  /** What a job's function does about an event. */
  async #take(event: OccurrenceEvent): Promise<void> {
    const definition = this.#deployed.get(event.job)?.definition;
    if (definition === undefined || this.outage) return;
    const { now } = this;
    const plan = planAdmission(event, definition, now);
    if (plan === 'tooOld' || plan === 'notDue') return;
    const skipFor = (cause: string) =>
      this.store.skip(event, { cause, trigger: event.trigger, evenIfQueued: false }, now);
    if (plan === 'superseded') return void (await skipFor('superseded'));
    if (isPausedNow(this.jobStates.states.get(event.job), now)) return void (await skipFor('paused'));
    const others = this.store.runs(event.job).filter((run) => run.scheduledTime !== event.scheduledTime);
    const busy = others.some((run) => run.status === 'running' && (run.leaseExpiresAt ?? 0) > now);
    if (busy && definition.overlap === 'skip') return void (await skipFor('overlap'));
    const { maxAttempts } = definition.retry;
    const leaseExpiresAt = now + definition.timeoutMs + 3_000;
    const answer = await this.store.claim({
      ...event,
      revision: definition.revision,
      claimToken: `token-${++this.#tokens}`,
      now,
      leaseExpiresAt,
      deadBefore: deadBefore(now, DEFAULT_LEASE_TIMES),
      maxAttempts,
    });
    if (answer.outcome !== 'claimed' || this.#happens('crash')) return;
    const { claim } = answer;
    const fails = this.#happens('fail');
    this.#at(now + 1_000 + this.#random.below(definition.timeoutMs - 1_000), async () => {
      if (!fails) await this.store.end(claim, { status: 'succeeded' }, this.now);
      else if (claim.attempt >= maxAttempts) await this.store.end(claim, { status: 'failed', error: 'no' }, this.now);
      else {
        const nextAttemptAt = this.now + 30_000;
        await this.store.end(claim, { status: 'pending', nextAttemptAt, error: 'no' }, this.now);
      }
    });
  }

  async #sweep(): Promise<void> {
    if (this.outage || this.watchdogDown || this.#happens('noSweep')) return;
    const dependencies = this.#dependencies();
    if (this.#happens('killSweep')) {
      const watchStore = { ...bound(this.watchStore), save: () => Promise.reject(new Error('killed')) };
      await sweepOnce({ ...dependencies, watchStore }, this.now).catch(() => {});
      return;
    }
    const sweeps = this.#happens('twoSweeps') ? 2 : 1;
    this.reports.push(...(await Promise.all(Array.from({ length: sweeps }, () => sweepOnce(dependencies, this.now)))));
  }

  #dependencies(): SweepDependencies {
    return {
      manifest: this.#manifest,
      watchStore: this.watchStore,
      runStore: this.store,
      jobStates: this.jobStates,
      timings: this.#timings,
      telling: this.notifier.telling,
      invoker: {
        deliver: async (event) => {
          this.delivered.push(event);
          if (!this.#happens('lose')) this.#at(this.now + this.#random.below(10_000), () => this.#take(event));
        },
      },
    };
  }

  #happens(fault: keyof Faults): boolean {
    const probability = this.faults[fault] ?? 0;
    return probability > 0 && this.#random.chance(probability);
  }

  #at(at: number, act: () => Promise<void>): void {
    let index = this.#queue.length;
    while (index > 0 && (this.#queue[index - 1]?.at ?? 0) > at) index--;
    this.#queue.splice(index, 0, { at, act });
  }
}

function bound(store: MemoryWatchStore) {
  return {
    load: () => store.load(),
    loadRoster: (digest: string) => store.loadRoster(digest),
    saveRoster: (digest: string, roster: readonly RosterEntry[]) => store.saveRoster(digest, roster),
    keepRosters: (digests: readonly string[]) => store.keepRosters(digests),
    forgetRequested: (keys: readonly OccurrenceKey[]) => store.forgetRequested(keys),
  };
}

export function rowOf(run: ReturnType<MemoryRunStore['runs']>[number]): LedgerRow {
  const { scheduledTime, status, trigger, cause, updatedAt } = run;
  return {
    scheduledTime,
    key: `R#${new Date(scheduledTime).toISOString()}`,
    status,
    trigger,
    ...(cause === undefined ? {} : { cause }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
  };
}
