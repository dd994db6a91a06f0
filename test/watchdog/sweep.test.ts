import { describe, expect, test } from 'vitest';
import { watchManifest } from '../../lambdas/watchdog/watched-manifest.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { sweepOnce } from '../support/sweep-once.ts';
import { watched } from '../support/watched.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');

const types = (report: Awaited<ReturnType<typeof sweepOnce>>) => report.done.map(({ type }) => type);

describe('sweep', () => {
  test('the first one takes its place and promises nothing about the past', async () => {
    const { ledger, watchStore, dependencies } = watched(jobDefinition());
    const report = await sweepOnce(dependencies(), NOON);
    expect(report).toMatchObject({ done: [], examined: 0, sweptAt: NOON, moved: true });
    expect(ledger.runs.size).toBe(0);
    expect((await watchStore.load()).state).toMatchObject({ sweptAt: NOON, version: 1, effectiveFrom: { sync: NOON } });
  });

  test('an occurrence that nobody started is missed once startGrace and a minute are over', async () => {
    const { ledger, dependencies } = watched(jobDefinition({ schedule: '5 12 * * *' }));
    await sweepOnce(dependencies(), NOON);
    for (let at = NOON + MINUTE; at < NOON + 7 * MINUTE; at += MINUTE) {
      expect((await sweepOnce(dependencies(), at)).done).toEqual([]);
    }
    const key = { job: 'sync', scheduledTime: NOON + 5 * MINUTE };
    const report = await sweepOnce(dependencies(), NOON + 7 * MINUTE);
    expect(report.done).toEqual([{ type: 'recordMissed', key, cause: 'unknown' }]);
    expect(ledger.statusOf(key)).toBe('missed');
    expect((await sweepOnce(dependencies(), NOON + 8 * MINUTE)).done).toEqual([]);
  });

  test('nothing due: the state is read and written, no run is', async () => {
    const { ledger, dependencies } = watched(jobDefinition({ schedule: '0 0 1 1 *' }));
    await sweepOnce(dependencies(), NOON);
    for (let n = 1; n <= 10; n++) await sweepOnce(dependencies(), NOON + n * MINUTE);
    expect(ledger.requests).toEqual({ getRuns: 0, keysRead: 0, writes: 0 });
  });

  test('a finished run is looked at once', async () => {
    const { ledger, dependencies } = watched(jobDefinition({ schedule: '1 12 * * *' }));
    await sweepOnce(dependencies(), NOON);
    ledger.set({ job: 'sync', scheduledTime: NOON + MINUTE, status: 'succeeded' });
    for (let n = 1; n <= 10; n++) await sweepOnce(dependencies(), NOON + n * MINUTE);
    expect(ledger.requests).toEqual({ getRuns: 1, keysRead: 1, writes: 0 });
  });

  test('a dead run is delivered again with its trigger, an exhausted one is closed', async () => {
    const { ledger, invoker, dependencies } = watched(jobDefinition({ schedule: '1 12 * * *' }));
    await sweepOnce(dependencies(), NOON);
    const key = { job: 'sync', scheduledTime: NOON + MINUTE };
    ledger.set({ ...key, leaseExpiresAt: NOON + 2 * MINUTE });
    expect(types(await sweepOnce(dependencies(), NOON + 3 * MINUTE))).toEqual(['redeliver']);
    expect(invoker.delivered).toEqual([{ ...key, trigger: 'schedule' }]);
    ledger.set({ ...key, attempts: 3, fencingToken: 3, leaseExpiresAt: NOON + 4 * MINUTE });
    expect(types(await sweepOnce(dependencies(), NOON + 5 * MINUTE))).toEqual(['closeExhausted']);
    expect(ledger.statusOf(key)).toBe('failed');
  });

  test('two watchdogs at once do the same work, and the ledger has it once', async () => {
    const { ledger, dependencies } = watched(jobDefinition());
    await sweepOnce(dependencies(), NOON);
    const [one, other] = await Promise.all([
      sweepOnce(dependencies(), NOON + 5 * MINUTE),
      sweepOnce(dependencies(), NOON + 5 * MINUTE + 500),
    ]);
    expect([one.moved, other.moved].filter(Boolean)).toHaveLength(1);
    expect(one.done.length + other.done.length).toBe(3);
    expect(ledger.runs.size).toBe(3);
  });

  test('a delivery that fails is told and tried again', async () => {
    const { ledger, invoker, dependencies } = watched(jobDefinition({ schedule: '1 12 * * *' }));
    await sweepOnce(dependencies(), NOON);
    ledger.set({ job: 'sync', scheduledTime: NOON + MINUTE, leaseExpiresAt: NOON + 2 * MINUTE });
    invoker.failing = true;
    const report = await sweepOnce(dependencies(), NOON + 3 * MINUTE);
    expect(report.failed.map(({ action }) => action.type)).toEqual(['redeliver']);
    for (let n = 4; n <= 30; n++) {
      const { failed } = await sweepOnce(dependencies(), NOON + n * MINUTE);
      expect(failed.map(({ action }) => action.type)).toEqual(['redeliver']);
    }
    invoker.failing = false;
    expect(types(await sweepOnce(dependencies(), NOON + 31 * MINUTE))).toEqual(['redeliver']);
    expect(invoker.delivered).toHaveLength(1);
    expect(types(await sweepOnce(dependencies(), NOON + 31.5 * MINUTE))).toEqual([]);
  });

  test('a delivery that fails for three hours is given up', async () => {
    const { ledger, invoker, dependencies } = watched(jobDefinition({ schedule: '1 12 * * *' }));
    await sweepOnce(dependencies(), NOON);
    const key = { job: 'sync', scheduledTime: NOON + MINUTE };
    ledger.set({ ...key, leaseExpiresAt: NOON + 2 * MINUTE });
    invoker.failing = true;
    for (let n = 3; n < 183; n++) await sweepOnce(dependencies(), NOON + n * MINUTE);
    expect(ledger.statusOf(key)).toBe('running');
    expect(types(await sweepOnce(dependencies(), NOON + 183 * MINUTE))).toEqual(['closeUndeliverable']);
  });

  test('the unfinished run of a job that is gone is delivered to nobody, and closed in the end', async () => {
    const { ledger, invoker, dependencies } = watched(jobDefinition({ schedule: '1 12 * * *' }));
    await sweepOnce(dependencies(), NOON);
    const key = { job: 'sync', scheduledTime: NOON + MINUTE };
    ledger.set({ ...key, leaseExpiresAt: NOON + 2 * MINUTE });
    const without = dependencies(jobDefinition({ name: 'other', schedule: '@yearly' }));
    invoker.failing = true;
    const done = [];
    for (let n = 3; n < 300; n++) {
      const report = await sweepOnce(without, NOON + n * MINUTE);
      expect(report.failed).toEqual([]);
      done.push(...types(report));
    }
    expect(done).toEqual(['closeUndeliverable']);
    expect(ledger.statusOf(key)).toBe('failed');
  });

  test('the unfinished run of a job that is disabled is delivered: its function is still there', async () => {
    const { ledger, invoker, dependencies } = watched(jobDefinition({ schedule: '1 12 * * *' }));
    await sweepOnce(dependencies(), NOON);
    const key = { job: 'sync', scheduledTime: NOON + MINUTE };
    ledger.set({ ...key, leaseExpiresAt: NOON + 2 * MINUTE });
    const functions = { sync: 'belfry-test-sync' };
    const manifest = watchManifest({
      version: 1,
      environment: 'test',
      scheduler: 'test',
      jobsStacks: 'test/jobs',
      jobs: [],
      functions,
    });
    const report = await sweepOnce({ ...dependencies(), manifest }, NOON + 3 * MINUTE);
    expect(types(report)).toEqual(['redeliver']);
    expect(invoker.delivered).toEqual([{ ...key, trigger: 'schedule' }]);
  });

  test('a watchdog that was down for a day accounts for every minute of it and starts one run', async () => {
    const catchUp = { policy: 'latest', maxAgeMs: 60 * MINUTE, maxRuns: 1 } as const;
    const { ledger, invoker, dependencies } = watched(jobDefinition({ catchUp }));
    await sweepOnce(dependencies(), NOON);
    const back = NOON + 24 * 60 * MINUTE;
    await sweepOnce(dependencies(), back);
    expect(invoker.delivered).toEqual([{ job: 'sync', scheduledTime: back - 2 * MINUTE, trigger: 'catchUp' }]);
    const missed = [...ledger.runs.values()].filter(({ status }) => status === 'missed');
    expect(missed).toHaveLength(24 * 60 - 3);
  });

  test('a removed job keeps what it owes, a new one owes nothing of the past', async () => {
    const { ledger, dependencies } = watched(jobDefinition({ name: 'old' }));
    await sweepOnce(dependencies(), NOON);
    await sweepOnce(dependencies(jobDefinition({ name: 'new' })), NOON + MINUTE);
    await sweepOnce(dependencies(jobDefinition({ name: 'new' })), NOON + 2 * MINUTE);
    await sweepOnce(dependencies(jobDefinition({ name: 'new' })), NOON + 5 * MINUTE);
    const times = (job: string) =>
      [...ledger.runs.values()].filter((run) => run.job === job).map((run) => (run.scheduledTime - NOON) / MINUTE);
    expect(times('old')).toEqual([]);
    expect(times('new')).toEqual([2, 3]);
  });

  test('a pause that is over is taken away, once', async () => {
    const { ledger, jobStates, dependencies } = watched(jobDefinition());
    await sweepOnce(dependencies(), NOON);
    const until = NOON + 5 * MINUTE;
    jobStates.states.set('sync', { pause: { until, by: 'ann' } });
    ledger.set({ job: 'sync', scheduledTime: NOON + MINUTE, status: 'skipped', cause: 'paused' });
    expect(types(await sweepOnce(dependencies(), NOON + 3 * MINUTE))).toEqual([]);
    for (let at = NOON + 2 * MINUTE; at <= until; at += MINUTE) {
      ledger.set({ job: 'sync', scheduledTime: at, status: 'succeeded' });
    }
    expect((await sweepOnce(dependencies(), until)).done).toEqual([{ type: 'endPause', job: 'sync', until }]);
    expect(jobStates.states.get('sync')).toEqual({});
    expect(types(await sweepOnce(dependencies(), until + MINUTE))).toEqual([]);
  });

  test('the usual duration is learned, read once and saved only while it moves', async () => {
    const { ledger, jobStates, dependencies } = watched(jobDefinition());
    await sweepOnce(dependencies(), NOON);
    const findings = [];
    for (let n = 1; n <= 60; n++) {
      const scheduledTime = NOON + n * MINUTE;
      const claimedAt = scheduledTime + 500;
      const tookMs = n === 50 ? 9_000 : 2_000;
      ledger.set({ job: 'sync', scheduledTime, status: 'succeeded', claimedAt, updatedAt: claimedAt + tookMs });
      findings.push(...(await sweepOnce(dependencies(), scheduledTime + 2 * MINUTE)).findings);
    }
    expect(findings).toMatchObject([{ kind: 'slow', key: { scheduledTime: NOON + 50 * MINUTE }, observedMs: 9_000 }]);
    expect(jobStates.requests.loads).toBe(1);
    expect(jobStates.requests.saves).toBeLessThan(30);
    expect(jobStates.states.get('sync')?.timing?.samples).toBeGreaterThan(10);
  });

  test('a job that is renamed loses no occurrence and starts none twice', async () => {
    const catchUp = { policy: 'all', maxAgeMs: 60 * MINUTE, maxRuns: 10 } as const;
    const old = jobDefinition({ name: 'old', catchUp });
    const renamed = jobDefinition({ name: 'new', renamedFrom: 'old', catchUp });
    const { ledger, invoker, dependencies } = watched(old);
    await sweepOnce(dependencies(), NOON);
    ledger.set({ job: 'old', scheduledTime: NOON + MINUTE, status: 'succeeded' });
    // Of minute 2 neither name has a run; minute 3 was still begun under the old one.
    ledger.set({ job: 'old', scheduledTime: NOON + 3 * MINUTE, leaseExpiresAt: NOON + 60 * MINUTE });
    await sweepOnce(dependencies(), NOON + 3 * MINUTE);
    await sweepOnce(dependencies(renamed), NOON + 4 * MINUTE);
    ledger.set({ job: 'old', scheduledTime: NOON + 3 * MINUTE, status: 'succeeded' });
    ledger.set({ job: 'new', scheduledTime: NOON + 2 * MINUTE, status: 'succeeded' });
    for (let n = 5; n <= 6; n++) await sweepOnce(dependencies(renamed), NOON + n * MINUTE);
    // Minute 4 fell between the two names and is owed as well.
    expect(invoker.delivered).toEqual(
      [2, 4].map((n) => ({ job: 'new', scheduledTime: NOON + n * MINUTE, trigger: 'catchUp' })),
    );
    const rows = [...ledger.runs.values()].map(({ job, scheduledTime }) => `${job} ${(scheduledTime - NOON) / MINUTE}`);
    expect(rows).toEqual(['old 1', 'old 3', 'new 2']);
  });

  test('what EventBridge does not fire in a repeated hour is delivered in its minute', async () => {
    // New York repeats 01:30 on 2026-11-01: 05:30Z, then 06:30Z.
    const job = jobDefinition({ schedule: '30 1 * * *', timeZone: 'America/New_York', dst: { fold: 'both' } });
    const { ledger, invoker, dependencies } = watched(job);
    const first = Date.parse('2026-11-01T05:30:00Z');
    const second = Date.parse('2026-11-01T06:30:00Z');
    await sweepOnce(dependencies(), first - 10 * MINUTE);
    for (let at = first - 9 * MINUTE; at < second + 5 * MINUTE; at += MINUTE) {
      if (at === first) ledger.set({ job: 'sync', scheduledTime: first, status: 'succeeded' });
      if (at === second + MINUTE) ledger.set({ job: 'sync', scheduledTime: second, status: 'succeeded' });
      await sweepOnce(dependencies(), at + 5_000);
    }
    expect(invoker.delivered).toEqual([{ job: 'sync', scheduledTime: second, trigger: 'schedule' }]);
    expect(ledger.runs.size).toBe(2);
  });

  test('what EventBridge fires and the job does not want is recorded as excluded before it fires', async () => {
    const job = jobDefinition({ schedule: '30 1 * * *', timeZone: 'America/New_York', dst: { fold: 'second' } });
    const { ledger, dependencies } = watched(job);
    const unwanted = Date.parse('2026-11-01T05:30:00Z');
    await sweepOnce(dependencies(), unwanted - 60 * MINUTE);
    await sweepOnce(dependencies(), unwanted - 59 * MINUTE);
    expect(ledger.runs.get(`sync@${unwanted}`)).toMatchObject({ status: 'skipped', cause: 'excluded' });
  });

  test('a wall time that the clock jumps over is recorded as skipped, where it would have been', async () => {
    const job = jobDefinition({ schedule: '30 2 * * *', timeZone: 'America/New_York' });
    const { ledger, dependencies } = watched(job);
    const gap = Date.parse('2026-03-08T07:00:00Z');
    await sweepOnce(dependencies(), gap - 10 * MINUTE);
    for (let at = gap - 9 * MINUTE; at < gap + 40 * MINUTE; at += MINUTE) await sweepOnce(dependencies(), at);
    expect([...ledger.runs.values()]).toMatchObject([{ scheduledTime: gap, status: 'skipped', cause: 'gap' }]);
  });

  test('people are told by the watchdog that moved the state, and again what could not be sent', async () => {
    const { ledger, notifier, dependencies } = watched(jobDefinition());
    await sweepOnce(dependencies(), NOON);
    for (let n = 1; n <= 3; n++) ledger.set({ job: 'sync', scheduledTime: NOON + n * MINUTE, status: 'failed' });
    await Promise.all([sweepOnce(dependencies(), NOON + 3 * MINUTE), sweepOnce(dependencies(), NOON + 3 * MINUTE + 1)]);
    expect(notifier.told).toEqual(['opened failed sync']);
    for (let n = 4; n <= 30; n++) ledger.set({ job: 'sync', scheduledTime: NOON + n * MINUTE, status: 'succeeded' });
    notifier.refuses = () => true;
    for (let n = 5; n <= 20; n++) await sweepOnce(dependencies(), NOON + n * MINUTE);
    const { messages } = await sweepOnce(dependencies(), NOON + 21 * MINUTE);
    expect(messages).toMatchObject([{ message: { change: 'closed' }, error: { message: 'no such topic' } }]);
    expect(notifier.told).toEqual(['opened failed sync']);
    notifier.refuses = () => false;
    for (let n = 22; n <= 25; n++) await sweepOnce(dependencies(), NOON + n * MINUTE);
    expect(notifier.told).toEqual(['opened failed sync', 'closed failed sync']);
  });

  test('runs that should not have been are noticed within the hour, each once', async () => {
    const { ledger, dependencies } = watched(jobDefinition({ schedule: '@hourly' }));
    const audit = {
      rowsBetween: async (job: string, from: number, to: number) =>
        [...ledger.runs.values()]
          .filter((run) => run.job === job && run.scheduledTime > from && run.scheduledTime <= to)
          .map((run) => ({ ...run, key: 'R#' })),
    };
    await sweepOnce({ ...dependencies(), audit }, NOON);
    const found: number[] = [];
    for (let n = 1; n <= 240; n++) {
      const at = NOON + n * MINUTE;
      if (n % 60 === 0 || n % 60 === 20) ledger.set({ job: 'sync', scheduledTime: at, status: 'succeeded' });
      const { findings } = await sweepOnce({ ...dependencies(), audit }, at + 3_000);
      for (const { kind, key } of findings) if (kind === 'tooOften') found.push((key.scheduledTime - NOON) / MINUTE);
    }
    expect(found.slice(0, 3)).toEqual([20, 80, 140]);
    expect(new Set(found).size).toBe(found.length);
  });
});
