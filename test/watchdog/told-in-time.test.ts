import { describe, expect, test } from 'vitest';
import type { SweepDependencies } from '../../lambdas/watchdog/sweep.ts';
import { watchManifest } from '../../lambdas/watchdog/watched-manifest.ts';
import type { JobDefinition } from '../../lib/domain/job.ts';
import type { FoundSchedule } from '../../lib/domain/watch/plan-cause.ts';
import type { EvidenceSource } from '../../lib/domain/watch/ports.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { sweepOnce } from '../support/sweep-once.ts';
import { WatchWorld } from '../support/watch-world.ts';
import { watched } from '../support/watched.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const LATEST = { policy: 'latest', maxAgeMs: HOUR, maxRuns: 1 } as const;
const PLACE = { environment: 'test', scheduler: 'test-jobs', jobsStacks: 'test-jobs*' };
const hourly = (more: Partial<JobDefinition> = {}) =>
  jobDefinition({ schedule: '5 * * * *', catchUp: LATEST, revision: 'r1', ...more });

/** The job's schedule as EventBridge has it, which somebody may have changed by hand. */
function deployed(job: JobDefinition) {
  const schedule = { expression: 'cron(5 * * * ? *)', timeZone: 'UTC' };
  const input = { job: job.name, scheduledTime: '<aws.scheduler.scheduled-time>', revision: job.revision };
  const found: NonNullable<FoundSchedule['found']> = {
    ...schedule,
    isEnabled: true,
    target: 'arn:aws:lambda:eu-west-1:1:function:fn',
    input: JSON.stringify(input),
  };
  const evidence: EvidenceSource = {
    schedule: async (name) => ({ name, found }),
    function: async () => ({ exists: true, state: 'Active' }),
    undelivered: async () => [],
  };
  const manifest = watchManifest({
    version: 1,
    ...PLACE,
    jobs: [job],
    functions: { [job.name]: 'fn' },
    awsSchedules: { [job.name]: [schedule] },
  });
  return { manifest, evidence, found };
}

/** A watchdog of one job that takes one sweep a minute, at the given second of it. */
function watching(job: JobDefinition, { second = 20, evidence = {} as Partial<EvidenceSource> } = {}) {
  const parts = watched(job);
  const { manifest, evidence: sound } = deployed(job);
  const source = { ...sound, ...evidence };
  const dependencies = (): SweepDependencies => ({
    ...parts.dependencies(),
    manifest,
    evidence: async () => source,
  });
  let minute = -1;
  /** Until the end of that minute; returns when each message was sent. */
  const until = async (last: number, before: (minute: number) => void = () => {}) => {
    const told: { readonly minute: number; readonly what: string }[] = [];
    while (minute < last) {
      minute++;
      before(minute);
      const known = parts.notifier.told.length;
      await sweepOnce(dependencies(), NOON + minute * MINUTE + second * SECOND);
      told.push(...parts.notifier.told.slice(known).map((what) => ({ minute, what })));
    }
    return told;
  };
  return { ...parts, source, dependencies, until };
}

describe('people are told in time', () => {
  test.each([0, 30, 59])('whenever in its minute the watchdog is fired: second %i', async (second) => {
    for (const startGraceMs of [0, MINUTE, 5 * MINUTE]) {
      const due = NOON + 5 * MINUTE;
      const { until } = watching(hourly({ startGraceMs }), { second });
      const [told] = await until(20);
      const at = NOON + (told?.minute ?? 0) * MINUTE + second * SECOND;
      // What is left is for a cold start, four requests and SNS.
      expect(at).toBeLessThanOrEqual(due + startGraceMs + 2 * MINUTE);
      expect(at).toBeGreaterThanOrEqual(due + startGraceMs + MINUTE);
    }
  });

  test('before the cause is sought, the late start delivered and the miss recorded', async () => {
    for (const policy of ['latest', 'none'] as const) {
      const order: string[] = [];
      const { until, notifier, invoker, ledger } = watching(hourly({ catchUp: { ...LATEST, policy } }), {
        evidence: {
          undelivered: async () => {
            order.push('cause');
            return [];
          },
        },
      });
      notifier.refuses = () => {
        order.push('told');
        return false;
      };
      const { deliver } = invoker;
      invoker.deliver = async (event) => {
        order.push('started');
        return deliver.call(invoker, event);
      };
      const recordMissed = ledger.recordMissed.bind(ledger);
      ledger.recordMissed = async (...parameters) => {
        order.push('missed');
        return recordMissed(...parameters);
      };
      await until(7);
      expect(order).toEqual(['told', 'cause', policy === 'latest' ? 'started' : 'missed']);
    }
  });

  test('of a function that never claims under the default catch-up: at once, and that it was missed an hour later', async () => {
    const { until, ledger } = watching(hourly({ schedule: '5 12 * * *' }));
    expect(await until(120)).toEqual([
      { minute: 7, what: 'opened late sync' },
      { minute: 66, what: 'followUp late sync' },
    ]);
    expect([...ledger.runs.values()].map(({ status }) => status)).toEqual(['missed']);
  });

  test('of a schedule that somebody disabled: at its first occurrence, with the cause, and not again each hour', async () => {
    const job = hourly();
    const { found } = deployed(job);
    let isEnabled = false;
    const { until, ledger, invoker, notifier } = watching(job, {
      evidence: { schedule: async (name) => ({ name, found: { ...found, isEnabled } }) },
    });
    // The watchdog starts each occurrence in its place, and all of them succeed.
    const play = (minute: number) => {
      for (const { scheduledTime, trigger } of invoker.delivered.splice(0)) {
        ledger.set({ job: 'sync', scheduledTime, status: 'succeeded', ...(trigger === undefined ? {} : { trigger }) });
      }
      const claimedAt = NOON + minute * MINUTE;
      if (isEnabled && minute % 60 === 5) {
        ledger.set({ job: 'sync', scheduledTime: claimedAt, status: 'succeeded', claimedAt, updatedAt: claimedAt });
      }
    };
    expect(await until(20 * 60, play)).toEqual([
      { minute: 7, what: 'opened late sync' },
      { minute: 8, what: 'followUp late sync' },
    ]);
    expect(notifier.messages[1]?.incidents[0]?.cause).toMatchObject({
      cause: 'scheduleDisabled',
      fix: "cdk deploy 'test-jobs*' --revert-drift",
    });
    isEnabled = true;
    const recovered = await until(23 * 60, play);
    expect(recovered.map(({ what }) => what)).toEqual(['closed late sync']);
    expect(new Set(notifier.messages.map(({ id }) => id)).size).toBe(1);
  });
});

describe('nobody is told', () => {
  test('of a first deployment, whose schedules fire before the watchdog has looked', async () => {
    const { until, ledger } = watching(hourly());
    ledger.set({ job: 'sync', scheduledTime: NOON - 55 * MINUTE, status: 'succeeded' });
    expect(await until(6)).toEqual([]);
  });

  test('of what belongs to a deployment that is under way: the schedule is newer than what the watchdog knows', async () => {
    const job = hourly();
    const { found } = deployed({ ...job, revision: 'r2' });
    for (const policy of ['latest', 'none'] as const) {
      const { until } = watching(hourly({ catchUp: { ...LATEST, policy } }), {
        evidence: { schedule: async (name) => ({ name, found }) },
      });
      expect(await until(30)).toEqual([]);
    }
  });

  test('of deployments while nothing goes wrong: jobs come, go and get other schedules', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const random = new SeededRandom(seed);
      const world = new WatchWorld(random, NOON);
      const jobs = new Map<string, JobDefinition>();
      for (let deployment = 0; deployment < 12; deployment++) {
        const name = `job-${random.below(5)}`;
        const schedule = random.pick(['* * * * *', '*/5 * * * *', '7 * * * *', '0 12 * * *']);
        const isGone = jobs.has(name) && random.chance(0.3);
        if (isGone) jobs.delete(name);
        else
          jobs.set(
            name,
            jobDefinition({ name, schedule, revision: schedule, timeoutMs: 6_000, overlap: 'allow', catchUp: LATEST }),
          );
        world.deploy([...jobs.values()]);
        await world.run(1 + random.below(40));
      }
      expect(world.notifier.told, `seed ${seed}`).toEqual([]);
      expect((await world.verify()).expected).toBeGreaterThan(20);
    }
  });

  test('of a look at schedules that takes too long: then they are told', async () => {
    const { until } = watching(hourly(), {
      evidence: {
        schedule: (_, signal) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      },
    });
    expect((await until(7)).map(({ what }) => what)).toEqual(['opened late sync']);
  }, 20_000);

  test('of a pause, and of a job that is gone or disabled', async () => {
    const paused = watching(hourly());
    paused.jobStates.states.set('sync', { pause: {} });
    expect(await paused.until(130)).toEqual([]);

    const gone = watching(hourly());
    expect(await gone.until(7)).toHaveLength(1);
    const without = { ...gone.dependencies(), manifest: watchManifest({ version: 1, ...PLACE, jobs: [] }) };
    for (let minute = 8; minute < 3 * 1_440; minute += 7) await sweepOnce(without, NOON + minute * MINUTE);
    expect(gone.notifier.told.filter((text) => !text.includes('silent'))).toEqual(['opened late sync']);
  });
});
