import { describe, expect, onTestFinished, test } from 'vitest';
import { runOnce } from '../../lambdas/runtime/index.ts';
import { SettableClock } from '../../lambdas/runtime/testing/index.ts';
import type { SweepDependencies } from '../../lambdas/watchdog/sweep.ts';
import { TimingMemory } from '../../lambdas/watchdog/timing-memory.ts';
import { watchManifest } from '../../lambdas/watchdog/watched-manifest.ts';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { DynamoDbJobStates } from '../../lib/adapters/dynamodb-watch-store/dynamodb-job-states.ts';
import { DynamoDbWatchStore } from '../../lib/adapters/dynamodb-watch-store/dynamodb-watch-store.ts';
import { MemoryRunStore } from '../../lib/adapters/memory-run-store/memory-run-store.ts';
import type { RunStore } from '../../lib/domain/ports.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import type { WatchStore } from '../../lib/domain/watch/ports.ts';
import { type DynamoDbServer, startDynamoDb } from '../support/dynamodb-server.ts';
import { jobDefinition } from '../support/job-definition.ts';
import { MemoryJobStates } from '../support/memory-job-states.ts';
import { MemoryWatchStore } from '../support/memory-watch-store.ts';
import { RecordingNotifier } from '../support/recording-notifier.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { sweepOnce } from '../support/sweep-once.ts';

/*
 * A watchdog whose answers are lost, or that is killed, at each of its requests in turn. One job is not fired and has to be
 * started late, one fails each time. Whatever is lost: both are told of, nothing is forgotten, and the watchdog goes on.
 */

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const DUE = NOON + 5 * MINUTE;
const TABLE = 'run-table';
const once = { ...jobDefinition().retry, maxAttempts: 1 };
const SILENT = jobDefinition({
  name: 'silent',
  schedule: '5 12 * * *',
  catchUp: { policy: 'latest', maxAgeMs: 60 * MINUTE, maxRuns: 1 },
});
const BROKEN = jobDefinition({ name: 'broken', schedule: '5 12 * * *', retry: once });
const JOBS = [SILENT, BROKEN];

interface Stores {
  readonly watchStore: WatchStore;
  readonly runStore: RunStore & SweepDependencies['runStore'];
  readonly jobStates: SweepDependencies['jobStates'];
}

const ALL = Array.from({ length: 15 }, (_, minute) => minute);

/** Minute by minute. `around` is what happens to the sweep of a minute. */
async function live(
  stores: Stores,
  minutes: readonly number[],
  around: (minute: number, dependencies: SweepDependencies) => { readonly dependencies: SweepDependencies },
) {
  const notifier = new RecordingNotifier();
  const clock = new SettableClock(NOON);
  const timings = new TimingMemory();
  let tokens = 0;
  const deliver = async (name: string, at: number, trigger?: 'catchUp'): Promise<void> => {
    const job = JOBS.find((one) => one.name === name);
    if (job === undefined) return;
    await runOnce(
      {
        job,
        environment: 'test',
        scheduler: 'test',
        store: stores.runStore,
        clock,
        newClaimToken: () => `token-${++tokens}`,
        print: () => {},
      },
      { job: name, scheduledTime: formatInstant(at), ...(trigger === undefined ? {} : { trigger }) },
      () => {
        if (name === 'broken') throw new Error('no');
      },
      { awsRequestId: 'r', invokedFunctionArn: 'arn', getRemainingTimeInMillis: () => 60_000 },
    );
  };
  const late: { readonly name: string; readonly at: number }[] = [];
  const dependencies: SweepDependencies = {
    ...stores,
    manifest: watchManifest({
      version: 1,
      environment: 'test',
      scheduler: 'test',
      jobsStacks: 'test/jobs',
      jobs: JOBS,
      functions: {},
    }),
    timings,
    telling: notifier.telling,
    invoker: {
      deliver: async ({ job, scheduledTime }) => void late.push({ name: job, at: scheduledTime }),
    },
  };
  for (const minute of minutes) {
    const at = NOON + minute * MINUTE;
    clock.set(at + 1_000);
    if (minute === 6) await deliver('broken', DUE);
    for (const one of late.splice(0)) await deliver(one.name, one.at, 'catchUp');
    clock.set(at + 20_000);
    const one = around(minute, dependencies);
    // A sweep that fails or is killed says so nowhere: the next one goes on.
    await sweepOnce(one.dependencies, at + 20_000).catch(() => {});
  }
  return { notifier };
}

/** Everybody was told of both, always under the same id; both runs have their outcome; and the last sweep took place. */
async function expectAllTold(
  stores: Stores,
  minutes: readonly number[],
  { notifier }: { readonly notifier: RecordingNotifier },
  what: string,
) {
  const ids = new Map<string, Set<string>>();
  for (const { id, change, kind, incidents } of notifier.messages) {
    const name = `${change} ${kind} ${incidents.map(({ job }) => job).join(',')}`;
    ids.set(name, (ids.get(name) ?? new Set()).add(id));
  }
  const changes = [...ids].filter(([name]) => name.startsWith('opened')).map(([name, { size }]) => [name, size]);
  expect(changes.sort(), what).toEqual([
    ['opened failed broken', 1],
    ['opened late silent', 1],
  ]);
  const { state } = await stores.watchStore.load();
  expect(state?.sweptAt, what).toBe(NOON + (minutes.at(-1) ?? 0) * MINUTE + 20_000);
  expect(state?.incidents.map(({ job, untold }) => [job, untold]).sort(), what).toEqual([
    ['broken', undefined],
    ['silent', undefined],
  ]);
  const runs = await stores.runStore.getRuns(JOBS.map(({ name: job }) => ({ job, scheduledTime: DUE })));
  expect(runs.map(({ job, status }) => `${job} ${status}`).sort(), what).toEqual(['broken failed', 'silent succeeded']);
}

describe('in memory', () => {
  const open = (): Stores => ({
    watchStore: new MemoryWatchStore(),
    runStore: new MemoryRunStore(),
    jobStates: new MemoryJobStates(),
  });

  test.each([
    ['its answer is lost', { isDone: true, isKilled: false }],
    ['it is refused', { isDone: false, isKilled: false }],
    ['the sweep is killed after it', { isDone: true, isKilled: true }],
    ['the sweep is killed before it', { isDone: false, isKilled: true }],
  ])('whichever request of the sweeps that tell it is: %s', async (_, fate) => {
    for (let n = 1; ; n++) {
      const stores = open();
      let asked = 0;
      const told = await live(stores, ALL, (minute, dependencies) => {
        if (minute < 6 || minute > 8) return { dependencies };
        return { dependencies: disturbed(dependencies, () => (++asked === n ? fate : undefined)) };
      });
      await expectAllTold(stores, ALL, told, `request ${n}`);
      if (asked < n) break;
    }
  });
});

interface Fate {
  readonly isDone: boolean;
  readonly isKilled: boolean;
}

/** The same, with something that happens to each request of the watchdog. */
function disturbed(dependencies: SweepDependencies, fateOf: () => Fate | undefined): SweepDependencies {
  let isKilled = false;
  const around = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return async (...parameters: unknown[]) => {
          if (isKilled) throw new Error('killed');
          const fate = fateOf();
          if (fate === undefined) return Reflect.apply(method, target, parameters);
          if (fate.isDone) await Reflect.apply(method, target, parameters);
          isKilled = fate.isKilled;
          throw new Error('no answer');
        };
      },
    });
  const { telling } = dependencies;
  return {
    ...dependencies,
    watchStore: around(dependencies.watchStore),
    runStore: around(dependencies.runStore),
    jobStates: around(dependencies.jobStates),
    invoker: around(dependencies.invoker),
    telling: { ...telling, notifier: async () => around(await telling.notifier()) },
  };
}

describe('on DynamoDB', () => {
  async function open(): Promise<{ readonly server: DynamoDbServer; readonly stores: Stores }> {
    const server = await startDynamoDb();
    onTestFinished(() => server[Symbol.asyncDispose]());
    await server.createTable(TABLE);
    const client = server.client();
    const stores = {
      watchStore: new DynamoDbWatchStore(client, TABLE),
      runStore: new DynamoDbRunStore(client, TABLE),
      jobStates: new DynamoDbJobStates(client, TABLE),
    };
    return { server, stores };
  }

  /** Pauses of so many jobs that the state is of several parts. */
  function manyPauses(): Record<string, number> {
    const random = new SeededRandom(1);
    const hex = () => random.below(0x1_0000_0000).toString(16);
    return Object.fromEntries(
      Array.from({ length: 24_000 }, () => [`job-${hex()}${hex()}`, NOON + 1e9 + random.below(1e9)]),
    );
  }

  test.each([
    ['small', 1, ALL, [6, 7, 8]],
    ['small', 3, ALL, [6, 7, 8]],
    ['large', 1, [0, 1, 6, 7, 8], [7]],
  ] as const)(
    'a %s state, and %i answers in a row are lost, of which the SDK asks three times for one: whichever they are',
    async (size, inARow, minutes, disturbedIn: readonly number[]) => {
      const pauses = size === 'small' ? {} : manyPauses();
      for (let n = 1; ; n++) {
        const { server, stores } = await open();
        let asked = 0;
        const told = await live(stores, minutes, (minute, dependencies) => {
          const isDisturbed = disturbedIn.includes(minute);
          server.fate = () => {
            if (!isDisturbed) return 'deliver';
            asked++;
            return asked >= n && asked < n + inARow ? 'loseResponse' : 'deliver';
          };
          if (minute !== 1 || size === 'small') return { dependencies };
          const { watchStore } = dependencies;
          const save: WatchStore['save'] = (state) => watchStore.save({ ...state, pauses });
          const load: WatchStore['load'] = () => watchStore.load();
          return { dependencies: { ...dependencies, watchStore: bound(watchStore, { load, save }) } };
        });
        server.fate = () => 'deliver';
        await expectAllTold(stores, minutes, told, `request ${n}`);
        await server[Symbol.asyncDispose]();
        if (asked < n) break;
      }
    },
    120_000,
  );
});

function bound(store: WatchStore, own: Partial<WatchStore>): WatchStore {
  return {
    load: () => store.load(),
    save: (state) => store.save(state),
    loadRoster: (digest) => store.loadRoster(digest),
    saveRoster: (digest, roster) => store.saveRoster(digest, roster),
    keepRosters: (digests) => store.keepRosters(digests),
    forgetRequested: (keys) => store.forgetRequested(keys),
    ...own,
  };
}
