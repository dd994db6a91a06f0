import { expect, test } from 'vitest';
import { Foresight } from '../../lambdas/watchdog/foresight.ts';
import { watchManifest } from '../../lambdas/watchdog/watched-manifest.ts';
import type { OccurrenceKey } from '../../lib/domain/contract/occurrence-key.ts';
import type { RunRecord } from '../../lib/domain/run/run-record.ts';
import type { WatchState } from '../../lib/domain/watch/watch-state.ts';
import { jobDefinition } from '../support/job-definition.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const STATE: WatchState = {
  sweptAt: NOON,
  lastAt: NOON,
  epochs: [],
  open: [{ job: 'sync', scheduledTime: NOON - 5 * MINUTE, startBy: NOON, maxAttempts: 1, formerName: 'old' }],
  effectiveFrom: {},
  pauses: {},
  incidents: [],
  version: 7,
};

const manifestOf = (jobs: number) =>
  watchManifest({
    version: 1,
    environment: 'test',
    scheduler: 'test',
    jobsStacks: 'test/jobs',
    jobs: Array.from({ length: jobs }, (_, index) => jobDefinition({ name: index === 0 ? 'sync' : `sync-${index}` })),
  });

/** A store in which every run has succeeded, and what it was asked for. */
function store() {
  const asked: string[][] = [];
  return {
    asked,
    async getRuns(keys: readonly OccurrenceKey[]): Promise<readonly RunRecord[]> {
      asked.push(keys.map(nameOf));
      return keys.map((key) => ({ ...key, status: 'succeeded', trigger: 'schedule', fencingToken: 1, attempts: 1 }));
    },
  };
}

const nameOf = ({ job, scheduledTime }: OccurrenceKey) => `${job} ${(scheduledTime - NOON) / MINUTE}`;

test('what was open and what becomes due is asked for at once, the rest when it is needed', async () => {
  const foresight = new Foresight();
  const under = store();
  foresight.remember(STATE, manifestOf(1));
  const runs = foresight.runsAt(NOON + MINUTE, under);
  const [guess = []] = under.asked;
  expect(guess.slice(-2)).toEqual(['sync -5', 'old -5']);
  expect(guess.length).toBeGreaterThan(2);
  const found = await runs.getRuns([
    { job: 'sync', scheduledTime: NOON - 5 * MINUTE },
    { job: 'another', scheduledTime: NOON },
  ]);
  expect(found.map(nameOf)).toEqual(['sync -5', 'another 0']);
  expect(under.asked.slice(1)).toEqual([['another 0']]);
});

test.each([
  ['nothing was saved', undefined, 1, 1],
  ['the last sweep is long ago', STATE, 1, 11],
  ['there are many jobs', STATE, 101, 1],
  [
    'there is much to look at',
    { ...STATE, open: STATE.open.flatMap((one) => Array.from({ length: 51 }, () => one)) },
    1,
    1,
  ],
])('when %s, nothing is foreseen', async (_, state, jobs, minutes) => {
  const foresight = new Foresight();
  const under = store();
  foresight.remember(STATE, manifestOf(1));
  foresight.remember(state, manifestOf(jobs));
  expect(foresight.runsAt(NOON + minutes * MINUTE, under)).toBe(under);
  expect(under.asked).toEqual([]);
});

test('runs that could not be read are an error for who asks for them, and for nobody else', async () => {
  const foresight = new Foresight();
  foresight.remember(STATE, manifestOf(1));
  const broken = { getRuns: () => Promise.reject(new Error('no table')) };
  foresight.runsAt(NOON + MINUTE, broken);
  const runs = foresight.runsAt(NOON + MINUTE, broken);
  await expect(runs.getRuns([{ job: 'sync', scheduledTime: NOON }])).rejects.toThrow('no table');
});
