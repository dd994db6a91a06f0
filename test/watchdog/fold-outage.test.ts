import { describe, expect, test } from 'vitest';
import type { FoldPolicy, GapPolicy, JobDefinition } from '../../lib/domain/job.ts';
import { parseSchedule } from '../../lib/domain/schedule/parse-schedule.ts';
import { zoneNamed } from '../../lib/domain/time/zone.ts';
import { surplusBetween } from '../../lib/domain/translation/supplements.ts';
import { translateSchedule } from '../../lib/domain/translation/translate-schedule.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { sweepOnce } from '../support/sweep-once.ts';
import { WatchWorld } from '../support/watch-world.ts';
import { watched } from '../support/watched.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOT_BEFORE = Date.parse('2026-09-01T00:00:00Z');

const ZONES = [
  'America/New_York',
  'Europe/London',
  'America/Santiago',
  'Africa/Cairo',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Chatham',
] as const;
const SCHEDULES = ['30 * * * *', '30 0,1,2 * * *', '15 0-3 * * *', '*/20 1-2 * * *', '0 0 * * *', '45 23 * * *'];

/** The next time that the zone's clock goes back, or forward. */
function transition(timeZone: string, which: 'fold' | 'gap'): number {
  for (const { at, offsetBefore, offsetAfter } of zoneNamed(timeZone).transitionsBetween(
    NOT_BEFORE,
    NOT_BEFORE + 400 * DAY,
  )) {
    if (offsetAfter < offsetBefore === (which === 'fold')) return at;
  }
  throw new Error(`${timeZone} does not change its clock`);
}

function jobs(timeZone: string): JobDefinition[] {
  return SCHEDULES.flatMap((schedule, index) =>
    (['first', 'second', 'both'] as const satisfies FoldPolicy[]).map((fold) => {
      const gap: GapPolicy = index % 2 === 0 ? 'skip' : 'runAfter';
      const policy = (['none', 'latest', 'all'] as const)[index % 3] ?? 'none';
      return jobDefinition({
        name: `job-${index}-${fold}`,
        schedule,
        timeZone,
        dst: { fold, gap },
        catchUp: { policy, maxAgeMs: 6 * HOUR, maxRuns: 3 },
        overlap: 'allow',
      });
    }),
  );
}

const excludedBy = ({ schedule, timeZone, dst }: JobDefinition, from: number, to: number) => {
  const parsed = parseSchedule(schedule, { timeZone, dst });
  return [...surplusBetween(parsed, translateSchedule(parsed), from, to)];
};

describe('a watchdog that is down for three days while the clock changes', () => {
  test.each([
    ...ZONES.map((zone) => [zone, 'fold'] as const),
    ['Europe/London', 'gap'] as const,
    ['Australia/Lord_Howe', 'gap'] as const,
  ])(
    '%s, %s: each occurrence has its one row, and no pass runs that the job did not choose',
    async (timeZone, which) => {
      const at = transition(timeZone, which);
      const world = new WatchWorld(new SeededRandom(at), at - 2 * DAY);
      const declared = jobs(timeZone);
      world.deploy(declared);
      await world.run(10);
      world.watchdogDown = true;
      await world.run((3 * DAY) / MINUTE);
      world.watchdogDown = false;
      await world.settle();

      const { findings, expected } = await world.verify();
      expect(findings).toEqual([]);
      expect(expected).toBeGreaterThan(100);
      const excluded = declared.flatMap((job) =>
        excludedBy(job, at - 2 * DAY + 10 * MINUTE, at + DAY).map((scheduledTime) => ({
          job: job.name,
          scheduledTime,
        })),
      );
      expect(excluded.length > 0).toBe(which === 'fold');
      for (const { job, scheduledTime } of excluded) {
        const row = world.store.runs(job).find((run) => run.scheduledTime === scheduledTime);
        expect(row, `${job} ${new Date(scheduledTime).toISOString()}`).toMatchObject({
          cause: 'excluded',
          attempts: 0,
        });
      }
    },
  );
});

describe('what is excluded ahead', () => {
  // New York repeats 01:30 on 2026-11-01: 05:30Z, then 06:30Z.
  const FIRST_PASS = Date.parse('2026-11-01T05:30:00Z');
  const job = (fold: FoldPolicy, revision = fold) =>
    jobDefinition({ schedule: '30 1 * * *', timeZone: 'America/New_York', dst: { fold }, revision });
  const key = `sync@${FIRST_PASS}`;

  test('is looked at a week ahead', async () => {
    const { ledger, dependencies } = watched(job('second'));
    await sweepOnce(dependencies(), FIRST_PASS - 8 * DAY);
    await sweepOnce(dependencies(), FIRST_PASS - 7 * DAY - MINUTE);
    expect(ledger.runs.has(key)).toBe(false);
    await sweepOnce(dependencies(), FIRST_PASS - 7 * DAY);
    expect(ledger.runs.get(key)).toMatchObject({ status: 'skipped', cause: 'excluded' });
  });

  test.each([24, 1])('and once more %i hours ahead, if the write failed', async (hours) => {
    const { ledger, dependencies } = watched(job('second'));
    await sweepOnce(dependencies(), FIRST_PASS - 7 * DAY - MINUTE);
    await sweepOnce(dependencies(), FIRST_PASS - 7 * DAY);
    ledger.runs.delete(key);
    await sweepOnce(dependencies(), FIRST_PASS - hours * HOUR - MINUTE);
    ledger.runs.delete(key);
    await sweepOnce(dependencies(), FIRST_PASS - hours * HOUR);
    expect(ledger.runs.get(key)).toMatchObject({ status: 'skipped', cause: 'excluded' });
  });

  test('and is told of as missed when another definition wants it after all', async () => {
    const { ledger, dependencies } = watched(job('second'));
    await sweepOnce(dependencies(), FIRST_PASS - HOUR);
    await sweepOnce(dependencies(), FIRST_PASS - HOUR + MINUTE);
    expect(ledger.runs.get(key)).toMatchObject({ cause: 'excluded' });
    const changed = dependencies(job('both'));
    const told = [];
    for (let at = FIRST_PASS - 30 * MINUTE; at < FIRST_PASS + 10 * MINUTE; at += MINUTE) {
      const { findings } = await sweepOnce(changed, at);
      told.push(...findings.map(({ kind, key: { scheduledTime } }) => [kind, scheduledTime]));
    }
    expect(told).toEqual([['excluded', FIRST_PASS]]);
  });
});
