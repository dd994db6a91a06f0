import { describe, expect, test } from 'vitest';
import { jobDefinition } from '../support/job-definition.ts';
import { sweepOnce } from '../support/sweep-once.ts';
import { watched } from '../support/watched.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');

describe('what one sweep takes on is bounded', () => {
  test('more misses than one sweep records are recorded by the next ones', async () => {
    const jobs = Array.from({ length: 3_000 }, (_, index) =>
      jobDefinition({ name: `job-${index}`, schedule: '5 12 * * *' }),
    );
    const { ledger, dependencies } = watched(...jobs);
    const own = dependencies();
    await sweepOnce(own, NOON);
    const first = await sweepOnce(own, NOON + 7 * MINUTE);
    expect(first.done).toHaveLength(2_000);
    expect((await sweepOnce(own, NOON + 8 * MINUTE)).done).toHaveLength(1_000);
    expect(ledger.runs.size).toBe(3_000);
  });

  test('averages are saved a few at a time when all jobs end at once', async () => {
    const jobs = Array.from({ length: 500 }, (_, index) =>
      jobDefinition({ name: `job-${index}`, schedule: '5 12 * * *' }),
    );
    const { ledger, jobStates, dependencies } = watched(...jobs);
    const own = dependencies();
    await sweepOnce(own, NOON);
    const at = NOON + 5 * MINUTE;
    for (const { name } of jobs)
      ledger.set({ job: name, scheduledTime: at, status: 'succeeded', claimedAt: at, updatedAt: at + 9 });
    const saves: number[] = [];
    for (let n = 7; n < 11; n++) {
      await sweepOnce(own, NOON + n * MINUTE);
      saves.push(jobStates.requests.saves);
    }
    expect(saves).toEqual([200, 400, 500, 500]);
  });

  test('an outage of a month is worked off in slices, and no minute of it is passed over', async () => {
    const { ledger, dependencies } = watched(jobDefinition());
    const own = dependencies();
    await sweepOnce(own, NOON);
    const back = NOON + 30 * 24 * 60 * MINUTE;
    let sweeps = 0;
    for (let at = back; ; at += MINUTE) {
      const { sweptAt } = await sweepOnce(own, at);
      sweeps += 1;
      if (sweptAt >= at && ledger.runs.size >= 30 * 24 * 60) break;
    }
    expect(sweeps).toBeGreaterThan(4);
    expect(sweeps).toBeLessThan(60);
    for (let minute = 1; minute < 30 * 24 * 60; minute++) {
      if (ledger.statusOf({ job: 'sync', scheduledTime: NOON + minute * MINUTE }) !== 'missed')
        expect(minute).toBe('missed');
    }
  });
});
