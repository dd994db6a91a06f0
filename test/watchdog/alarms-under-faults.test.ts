import { beforeAll, describe, expect, test } from 'vitest';
import type { AlarmResource } from '../../lib/local/assembly/resources.ts';
import { AlarmWorld, type Behaviour, type Troubles } from '../support/alarm-world.ts';
import { deployedAlarms } from '../support/deployed-alarms.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { SeededRandom } from '../support/seeded-random.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const NOON = Date.parse('2026-06-01T12:00:00Z');
/** What is struck; before it the usual duration is learned. */
const STRUCK = 60;
const AT = NOON + STRUCK * MINUTE;

const JOBS = [
  jobDefinition({ name: 'pulse', timeoutMs: 30 * SECOND, catchUp: { policy: 'none', maxAgeMs: 0, maxRuns: 1 } }),
  jobDefinition({
    name: 'sync',
    schedule: '*/5 * * * *',
    lease: 'heartbeat',
    timeoutMs: 10 * MINUTE,
    overlap: 'allow',
    minimumDurationMs: SECOND,
    catchUp: { policy: 'all', maxAgeMs: HOUR, maxRuns: 5 },
  }),
  jobDefinition({
    name: 'report',
    schedule: '*/10 * * * *',
    timeoutMs: 5 * MINUTE,
    expectedDurationMs: MINUTE,
    catchUp: { policy: 'latest', maxAgeMs: HOUR, maxRuns: 1 },
  }),
];

let alarms: readonly AlarmResource[];
beforeAll(() => {
  alarms = deployedAlarms();
}, 120_000);

/** Some two hours, in which all goes well but for the troubles. */
async function live(troubles: Troubles): Promise<AlarmWorld> {
  const world = new AlarmWorld(alarms, NOON, JOBS, troubles);
  await world.run(STRUCK + 40);
  await world.run(50);
  return world;
}

const attempts =
  (job: string, behaviour: (attempt: number) => Behaviour | undefined): NonNullable<Troubles['attempt']> =>
  (name, scheduledTime, attempt) =>
    (name === job && scheduledTime === AT ? behaviour(attempt) : undefined) ?? {};
const first = (behaviour: Behaviour) => (attempt: number) => (attempt === 1 ? behaviour : undefined);
const every = (behaviour: Behaviour) => () => behaviour;
const firing =
  (job: string, delays: readonly number[]): NonNullable<Troubles['firing']> =>
  (name, scheduledTime) =>
    name === job && scheduledTime === AT ? delays : [0];
const during =
  (minutes: number) =>
  (minute: number): boolean =>
    minute >= STRUCK && minute < STRUCK + minutes;

const isDuring = (minutes: number, at: number) => during(minutes)((at - NOON) / MINUTE);

const KILLED: Behaviour = { killedAfterMs: 500 };
const STORIES: readonly (readonly [
  what: string,
  troubles: Troubles,
  rings: readonly string[],
  tells: readonly string[],
])[] = [
  ['all goes well', {}, [], []],

  ['a firing is lost, and a late start is no use', { firing: firing('pulse', []) }, [], ['late pulse']],
  ['a firing is lost, and made up for', { firing: firing('sync', []) }, [], ['late sync']],
  ['every firing comes twice', { firing: () => [0, 20 * SECOND] }, [], []],
  ['a firing is late, within startGrace', { firing: firing('pulse', [110 * SECOND]) }, [], []],
  ['a firing is too late, before the watchdog looks', { firing: firing('pulse', [125 * SECOND]) }, [], ['late pulse']],
  [
    'a firing is too late, after the watchdog has looked',
    { firing: firing('pulse', [200 * SECOND]) },
    [],
    ['late pulse'],
  ],
  [
    'a firing for an instant that is not due',
    { stray: [{ job: 'sync', scheduledTime: AT + MINUTE }] },
    [],
    ['tooOften sync'],
  ],

  ['a process is killed, and Lambda tries again', { attempt: attempts('pulse', first(KILLED)) }, [], []],
  ['a process is killed under a long lease', { attempt: attempts('report', first(KILLED)) }, [], []],
  [
    'two processes are killed under a long lease, and it is late with the third',
    { attempt: attempts('report', (attempt) => (attempt < 3 ? KILLED : undefined)) },
    [],
    ['overdue report'],
  ],
  ['a process is killed under a lease that is renewed', { attempt: attempts('sync', first(KILLED)) }, [], []],
  [
    'a process is killed when it has said something of its progress',
    { attempt: attempts('sync', first({ worksMs: 5 * MINUTE, progress: [1, 2], killedAfterMs: 3 * SECOND })) },
    [],
    [],
  ],
  [
    'a process is killed, and the watchdog alone looks after it',
    { attempt: attempts('sync', first(KILLED)), lambdaForgets: true },
    [],
    [],
  ],
  ['every process of a run is killed', { attempt: attempts('pulse', every(KILLED)) }, [], ['failed pulse']],
  [
    'every process of a run is killed, and the watchdog alone looks after it',
    { attempt: attempts('pulse', every(KILLED)), lambdaForgets: true },
    [],
    ['failed pulse'],
  ],

  ['an attempt fails', { attempt: attempts('sync', first({ throws: true })) }, [], []],
  ['every attempt fails', { attempt: attempts('sync', every({ throws: true })) }, [], ['failed sync']],
  [
    'every attempt of what must be ready fails',
    { attempt: attempts('report', every({ throws: true })) },
    [],
    ['failed report', 'overdue report'],
  ],

  [
    'a run takes ten times its usual time',
    { attempt: attempts('pulse', every({ worksMs: 20 * SECOND })) },
    [],
    ['slow pulse'],
  ],
  ['a run goes on for minutes', { attempt: attempts('sync', every({ worksMs: 7 * MINUTE })) }, [], ['slow sync']],
  [
    'a run goes on for longer than it may be late',
    { attempt: attempts('report', every({ worksMs: 290 * SECOND })), firing: firing('report', [90 * SECOND]) },
    [],
    ['overdue report', 'slow report'],
  ],
  [
    'a run says the same of its progress for minutes',
    { attempt: attempts('sync', every({ worksMs: 9 * MINUTE, progress: [1, 2] })) },
    [],
    ['slow sync', 'stuck sync'],
  ],
  [
    'an attempt does not end before its deadline',
    { attempt: attempts('sync', first({ worksMs: HOUR })) },
    [],
    ['slow sync'],
  ],
  [
    'no attempt ends before its deadline',
    { attempt: attempts('sync', every({ worksMs: HOUR })) },
    [],
    ['slow sync', 'timedOut sync'],
  ],
  ['a run has nothing to do', { attempt: attempts('sync', every({ worksMs: 10 })) }, [], ['tooFast sync']],

  ['one sweep is left out', { sweep: (minute) => (minute === STRUCK ? 'none' : undefined) }, [], []],
  ['one sweep is killed', { sweep: (minute) => (minute === STRUCK ? 'killed' : undefined) }, [], []],
  [
    'the watchdog is not fired',
    { sweep: (minute) => (during(10)(minute) ? 'none' : undefined) },
    ['WatchdogSilent'],
    [],
  ],
  [
    'the watchdog is killed again and again',
    { sweep: (minute) => (during(6)(minute) ? 'killed' : undefined) },
    ['WatchdogSilent'],
    [],
  ],
  [
    'the watchdog cannot read',
    { unavailable: (who, minute) => who === 'watchdog' && during(6)(minute) },
    ['WatchdogSilent'],
    [],
  ],
  ['the watchdog cannot deliver for a while', { firing: firing('sync', []), refuses: during(4) }, [], ['late sync']],
  [
    'the watchdog cannot deliver',
    { firing: (job, at) => (job === 'sync' && isDuring(20, at) ? [] : [0]), refuses: during(20) },
    ['WatchdogFailing'],
    ['late sync'],
  ],

  [
    'a function does not start, and gets no further event',
    { starts: (job, minute) => job !== 'pulse' || minute !== STRUCK },
    [],
    [],
  ],
  [
    'a function does not start for ten minutes',
    { starts: (job, minute) => job !== 'pulse' || !during(10)(minute) },
    ['DeadLetters'],
    ['late pulse'],
  ],
  [
    'the table refuses the functions for a while',
    { unavailable: (who, minute) => who === 'function' && minute === STRUCK },
    [],
    [],
  ],
  [
    'nothing works for ten minutes',
    {
      firing: (_, at) => (isDuring(10, at) ? [] : [0]),
      sweep: (minute) => (during(10)(minute) ? 'none' : undefined),
    },
    ['WatchdogSilent'],
    ['late pulse,sync,report', 'overdue report'],
  ],
];

describe('people are told of exactly what was broken, once, and that it is well again', () => {
  test.each(STORIES)('%s', async (_, troubles, rings, tells) => {
    const world = await live(troubles);
    expect([...world.rang].sort(), JSON.stringify(world.changes)).toEqual([...rings].sort());
    expect(world.states).not.toContain('ALARM');
    const told = (change: string) =>
      world.notifier.told.filter((text) => text.startsWith(change)).map((text) => text.slice(change.length + 1));
    expect(told('opened').sort()).toEqual([...tells].sort());
    // Nobody can see that a job does not run too often before hours have passed; and the watchdog says when it is back.
    const closed = tells.filter((text) => !text.startsWith('tooOften'));
    const back = rings.includes('WatchdogSilent') ? ['silent the watchdog'] : [];
    expect(told('closed').sort()).toEqual([...closed, ...back].sort());
  });
});

describe('everything at once', () => {
  interface Struck {
    readonly kind: 'killed' | 'slow' | 'failing' | 'well';
    readonly behaviour: Behaviour;
  }

  /** What becomes of each first attempt, by its run. */
  function strike(random: SeededRandom): Struck {
    const kind = random.weighted([
      { weight: 4, value: 'killed' },
      { weight: 4, value: 'failing' },
      // Rare, or it would be usual.
      { weight: 1, value: 'slow' },
      { weight: 14, value: 'well' },
    ] as const);
    // A killed process may have worked for a while, but never for longer than usual.
    if (kind === 'killed') return { kind, behaviour: { killedAfterMs: random.below(1_900), progress: [1, 2] } };
    if (kind === 'slow') return { kind, behaviour: { worksMs: 28 * SECOND } };
    return { kind, behaviour: kind === 'failing' ? { throws: true } : {} };
  }

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('who is slow is told of once, who is killed is not: seed %i', async (seed) => {
    const random = new SeededRandom(seed);
    const struck = new Map<string, Struck>();
    const id = (job: string, scheduledTime: number) => `${job}@${new Date(scheduledTime).toISOString()}`;
    // The watchdog alone looks after what was killed: neither Lambda nor a duplicate gets there first.
    const isAlone = seed % 2 === 0;
    const troubles: Troubles = {
      firing: (_, at) => {
        if (at > AT && random.chance(0.1)) return [];
        return !isAlone && random.chance(0.3) ? [0, random.below(MINUTE)] : [0];
      },
      sweep: () => (random.chance(0.1) ? (isAlone ? 'none' : random.pick(['none', 'killed'])) : undefined),
      attempt: (job, scheduledTime, attempt) => {
        if (scheduledTime < AT || attempt > 1) return {};
        const one = strike(random);
        struck.set(id(job, scheduledTime), one);
        return one.behaviour;
      },
      ...(isAlone ? { lambdaForgets: true } : {}),
    };
    const world = new AlarmWorld(alarms, NOON, JOBS, troubles);
    await world.run(STRUCK + 60);
    const of = (kind: Struck['kind']) => [...struck].flatMap(([run, one]) => (one.kind === kind ? [run] : [])).sort();
    const said = (event: string, fits: (line: (typeof world.lines)[number]) => boolean) =>
      world.lines
        .filter((line) => line.event === event && fits(line))
        .map(({ job, scheduledTime }) => id(String(job), Date.parse(String(scheduledTime))))
        .sort();
    await world.run(30);

    expect(of('killed').length).toBeGreaterThan(5);
    const isRecent = (run: string) => Date.parse(run.split('@')[1] ?? '') < AT + 80 * MINUTE;
    expect(said('timing', ({ kind }) => kind === 'slow').filter(isRecent)).toEqual(of('slow').filter(isRecent));
    for (const kind of ['stuck', 'tooFast', 'tooOften']) {
      expect(said('timing', (line) => line.kind === kind)).toEqual([]);
    }
    // Whoever was killed got another attempt, from Lambda or from the watchdog, and ended well with it.
    const runs = new Map(world.store.runs().map((run) => [id(run.job, run.scheduledTime), run]));
    for (const run of of('killed').filter(isRecent)) {
      expect(runs.get(run)).toMatchObject({ status: 'succeeded', attempts: 2 });
    }
    if (isAlone) {
      const dead = new Set(said('redelivered', ({ reason }) => reason === 'dead'));
      expect(of('killed').filter((run) => !dead.has(run) && isRecent(run))).toEqual([]);
    }
    expect(world.rang).not.toContain('Failed');
  });
});
