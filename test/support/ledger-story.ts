import { expect } from 'vitest';
import type { CatchUpPolicy, FoldPolicy, GapPolicy, JobDefinition, OverlapPolicy } from '../../lib/domain/job.ts';
import type { LedgerFinding } from '../../lib/domain/verify/job-check.ts';
import { jobDefinition } from './job-definition.ts';
import { SeededRandom } from './seeded-random.ts';
import { type Faults, WatchWorld } from './watch-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Zones with a change of the clock in the week that a story begins in, among them half an hour and midnight. */
const STARTS = [
  { timeZone: 'America/New_York', at: '2026-03-08T00:00:00Z' },
  { timeZone: 'America/New_York', at: '2026-11-01T00:00:00Z' },
  { timeZone: 'Europe/London', at: '2026-10-24T22:00:00Z' },
  { timeZone: 'Australia/Lord_Howe', at: '2026-04-04T06:00:00Z' },
  { timeZone: 'Australia/Lord_Howe', at: '2026-10-03T06:00:00Z' },
  { timeZone: 'Africa/Cairo', at: '2026-04-23T12:00:00Z' },
  { timeZone: 'America/Santiago', at: '2026-09-05T20:00:00Z' },
  { timeZone: 'UTC', at: '2026-06-01T00:00:00Z' },
] as const;

const SCHEDULES = [
  '*/15 * * * *',
  '@hourly',
  '30 * * * *',
  '30 1,2 * * *',
  '0 0 * * *',
  '15 0-3 * * *',
  '*/30 1-2 * * *',
  '@every 7m',
  '7 */2 * * *',
] as const;

export interface Story {
  readonly findings: readonly LedgerFinding[];
  /** Runs without an outcome although all has been quiet for hours. */
  readonly unfinished: readonly string[];
  readonly expected: number;
  /** What was done, for whoever has to find out why. */
  readonly steps: readonly string[];
}

/** Some jobs, some hours, and whatever the seed brings: faults, outages, pauses, deployments. */
export async function ledgerStory(seed: number, { hours }: { readonly hours: number }): Promise<Story> {
  const random = new SeededRandom(seed);
  const { timeZone, at } = random.pick(STARTS);
  const world = new WatchWorld(random, Date.parse(at));
  const steps = [`seed ${seed}, ${timeZone} from ${at}`];
  let serial = 0;
  let jobs = Array.from({ length: 1 + random.below(3) }, () => randomJob(random, `job-${++serial}`, timeZone));
  const deploy = (why: string) => {
    steps.push(
      `${new Date(world.now).toISOString()} ${why}: ${jobs.map((job) => `${job.name} '${job.schedule}' ${JSON.stringify(job.dst)} ${job.catchUp?.policy}`).join('; ')}`,
    );
    world.deploy(jobs);
  };
  deploy('first deployment');

  const end = world.now + hours * HOUR;
  while (world.now < end) {
    world.faults = randomFaults(random);
    world.outage = random.chance(0.1);
    world.watchdogDown = random.chance(0.1);
    const job = random.pick(jobs);
    // Nobody can account for a definition that came and went while the watchdog was away.
    const turn = (await world.knowsDeployment()) ? random.below(8) : random.below(2);
    if (turn === 0) {
      const until = random.chance(0.7) ? world.now + random.below(3 * HOUR) : undefined;
      steps.push(`${new Date(world.now).toISOString()} pause ${job.name} until ${until}`);
      world.pause(job.name, until);
    } else if (turn === 1) {
      world.resume(job.name);
    } else if (turn === 2) {
      jobs = jobs.map((one) => (one === job ? changedJob(random, one) : one));
      deploy(`change of ${job.name}`);
    } else if (turn === 3) {
      const name = `job-${++serial}`;
      jobs = jobs.map((one) => (one === job ? { ...one, name, renamedFrom: one.name } : one));
      deploy(`${job.name} is now ${name}`);
    } else if (turn === 4) {
      jobs = [
        ...jobs.filter((one) => one !== job || jobs.length === 1),
        randomJob(random, `job-${++serial}`, timeZone),
      ];
      deploy('one goes, one comes');
    }
    steps.push(
      `${new Date(world.now).toISOString()} outage ${world.outage}, watchdog down ${world.watchdogDown}, ${JSON.stringify(world.faults)}`,
    );
    await world.run(10 + random.below(120));
  }
  await world.settle();
  const { findings, expected } = await world.verify();
  // Before the first sweep nothing was promised.
  const promisedFrom = (await world.watchStore.load()).state?.epochs[0]?.from ?? world.now;
  const unfinished = world.store
    .runs()
    .filter((run) => (run.status === 'running' || run.status === 'pending') && run.scheduledTime > promisedFrom)
    .filter((run) => run.scheduledTime < world.now - HOUR)
    .map((run) => `${run.job} ${new Date(run.scheduledTime).toISOString()} ${run.status}`);
  return { findings, unfinished, expected, steps };
}

function randomJob(random: SeededRandom, name: string, timeZone: string): JobDefinition {
  const schedule = random.pick(SCHEDULES);
  const gap = random.pick<GapPolicy>(['skip', 'runAfter']);
  // With `second` the watchdog must have looked a day ahead, which nobody can whose job began an hour ago.
  const fold = random.pick<FoldPolicy>(['first', 'both']);
  const dst = random.chance(0.5) ? { gap, fold } : {};
  return jobDefinition({
    name,
    schedule,
    timeZone,
    dst,
    overlap: random.pick<OverlapPolicy>(['skip', 'allow']),
    catchUp: randomCatchUp(random),
    startGraceMs: random.pick([0, MINUTE, 5 * MINUTE]),
    revision: JSON.stringify([schedule, timeZone, dst]),
    ...(random.chance(0.3) ? { expectedDurationMs: MINUTE } : {}),
  });
}

function changedJob(random: SeededRandom, job: JobDefinition): JobDefinition {
  if (random.chance(0.3))
    return { ...job, catchUp: randomCatchUp(random), startGraceMs: random.pick([0, 10 * MINUTE]) };
  const schedule = random.pick(SCHEDULES);
  return { ...job, schedule, revision: JSON.stringify([schedule, job.timeZone, job.dst]) };
}

function randomCatchUp(random: SeededRandom): CatchUpPolicy {
  return {
    policy: random.pick(['none', 'latest', 'all'] as const),
    maxAgeMs: random.pick([10 * MINUTE, HOUR, 12 * HOUR]),
    maxRuns: 1 + random.below(5),
  };
}

function randomFaults(random: SeededRandom): Faults {
  if (random.chance(0.3)) return {};
  const some = (most: number) => (random.chance(0.5) ? random.next() * most : 0);
  return {
    drop: some(0.5),
    duplicate: some(0.5),
    late: some(0.5),
    lose: some(0.7),
    crash: some(0.5),
    fail: some(0.6),
    noSweep: some(0.6),
    killSweep: some(0.4),
    twoSweeps: some(0.5),
  };
}

/** Tells the story and expects that the ledger proves complete at its end. Returns how many occurrences there were. */
export async function assertStory(seed: number, hours: number): Promise<number> {
  const { findings, unfinished, expected, steps } = await ledgerStory(seed, { hours });
  expect(findings, steps.join('\n')).toEqual([]);
  expect(unfinished, steps.join('\n')).toEqual([]);
  return expected;
}
