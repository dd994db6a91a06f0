import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DynamoDbOperatorStore } from '../../../lib/adapters/dynamodb-run-store/dynamodb-operator-store.ts';
import { DynamoDbRunStore } from '../../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { DynamoDbRequestBook } from '../../../lib/adapters/dynamodb-watch-store/dynamodb-request-book.ts';
import { DynamoDbWatchStore } from '../../../lib/adapters/dynamodb-watch-store/dynamodb-watch-store.ts';
import { parseSchedule } from '../../../lib/domain/schedule/parse-schedule.ts';
import { Operator } from '../../../lib/local/operate/operator.ts';
import { type DynamoDbServer, startDynamoDb } from '../../support/dynamodb-server.ts';
import { jobDefinition } from '../../support/job-definition.ts';
import { RecordingInvoker } from '../../support/recording-invoker.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');
const TABLE = 'run-table';
const ANN = { by: 'ann', note: 'because' };

let server: DynamoDbServer;
let runs: DynamoDbRunStore;
let store: DynamoDbOperatorStore;
let requests: DynamoDbRequestBook;
let watchStore: DynamoDbWatchStore;
let invoker: RecordingInvoker;
let operator: Operator;
let names = 0;

beforeAll(async () => {
  server = await startDynamoDb();
  await server.createTable(TABLE);
  const client = server.client();
  runs = new DynamoDbRunStore(client, TABLE);
  store = new DynamoDbOperatorStore(client, TABLE);
  requests = new DynamoDbRequestBook(client, TABLE);
  watchStore = new DynamoDbWatchStore(client, TABLE);
});

beforeEach(() => {
  server.fate = () => 'deliver';
  invoker = new RecordingInvoker();
  operator = new Operator({ store, invoker, requests, now: () => NOON });
});

afterAll(() => server[Symbol.asyncDispose]());

function aJob(overrides: Parameters<typeof jobDefinition>[0] = {}) {
  const job = jobDefinition({ name: `job-${names++}`, ...overrides });
  return { job, schedule: parseSchedule(job.schedule, { timeZone: job.timeZone }) };
}

/** The answer to the first write is lost; the SDK sends it again. */
function loseFirstAnswer(operation: string) {
  let lost = false;
  server.fate = (asked) => {
    if (asked !== operation || lost) return 'deliver';
    lost = true;
    return 'loseResponse';
  };
  return () => lost;
}

describe('trigger', () => {
  test('takes no occurrence away, and no other run either', async () => {
    const target = aJob();
    expect(await operator.trigger(target, ANN)).toBe(NOON + 1_000);
    expect(await operator.trigger(target, ANN)).toBe(NOON + 2_000);
    expect(invoker.delivered.map(({ scheduledTime, trigger }) => [scheduledTime, trigger])).toEqual([
      [NOON + 1_000, 'manual'],
      [NOON + 2_000, 'manual'],
    ]);
  });

  test('many at once are as many runs', async () => {
    const target = aJob();
    const times = await Promise.all(Array.from({ length: 8 }, () => operator.trigger(target, ANN)));
    expect(new Set(times).size).toBe(8);
    expect(new Set(invoker.delivered.map(({ scheduledTime }) => scheduledTime))).toEqual(new Set(times));
  });

  test('the watchdog is told of it, and forgets it', async () => {
    const target = aJob();
    const key = { job: target.job.name, scheduledTime: await operator.trigger(target, ANN) };
    expect((await watchStore.load()).requested).toContainEqual(key);
    await watchStore.forgetRequested([key]);
    expect((await watchStore.load()).requested).not.toContainEqual(key);
  });

  test('a lost answer makes one run, not two', async () => {
    const target = aJob();
    const isLost = loseFirstAnswer('PutItem');
    expect(await operator.trigger(target, ANN)).toBe(NOON + 1_000);
    expect([isLost(), invoker.delivered.length]).toEqual([true, 1]);
  });

  test('when it cannot be delivered, its record goes; one that was claimed meanwhile stays', async () => {
    const target = aJob();
    invoker.failing = true;
    await expect(operator.trigger(target, ANN)).rejects.toThrow('cannot be reached');
    const key = { job: target.job.name, scheduledTime: NOON + 1_000 };
    expect(await runs.getRun(key)).toBeUndefined();

    await store.request(key, { ...ANN, trigger: 'manual' }, NOON);
    const claim = { claimToken: 'x', now: NOON, leaseExpiresAt: NOON + MINUTE, deadBefore: 0, maxAttempts: 3 };
    await runs.claim({ ...key, ...claim, trigger: 'manual', revision: 'r1' });
    await store.withdraw(key, NOON);
    expect(await runs.getRun(key)).toMatchObject({ status: 'running', requestedBy: 'ann' });
  });
});

describe('pause and resume', () => {
  test('of two who pause at once, the second is told of the first', async () => {
    const target = aJob();
    const [first, second] = await Promise.allSettled([
      operator.pause(target, { by: 'ann', note: 'one' }),
      operator.pause(target, { by: 'bob', note: 'two' }),
    ]);
    expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected']);
    const { pausedBy } = await runs.getTurn(target.job.name);
    expect(pausedBy).toBe(first.status === 'fulfilled' ? 'ann' : 'bob');
  });

  test('a lost answer is no refusal', async () => {
    const target = aJob();
    const isLost = loseFirstAnswer('UpdateItem');
    await operator.pause(target, ANN);
    expect([isLost(), await runs.getTurn(target.job.name)]).toMatchObject([true, { paused: true, pausedAt: NOON }]);
    const isLostToo = loseFirstAnswer('UpdateItem');
    expect(await operator.resume(target, ANN)).toMatchObject({ pausedBy: 'ann', pauseNote: 'because' });
    expect([isLostToo(), (await runs.getTurn(target.job.name)).paused]).toEqual([true, undefined]);
  });

  test('a pause that a timeout left behind is resumed too', async () => {
    const target = aJob();
    await runs.pause(target.job.name, { by: 'belfry', note: 'timed out' }, NOON);
    expect(await operator.resume(target, ANN)).toMatchObject({ pausedBy: 'belfry', pausedAt: NOON });
  });

  test('whoever has the turn keeps it', async () => {
    const target = aJob();
    const key = { job: target.job.name, scheduledTime: NOON };
    const claim = { claimToken: 'x', now: NOON, leaseExpiresAt: NOON + MINUTE, deadBefore: 0, maxAttempts: 3 };
    const answer = await runs.claim({ ...key, ...claim, trigger: 'schedule', revision: 'r1' });
    if (answer.outcome !== 'claimed') throw new Error('not claimed');
    await runs.takeTurn(answer.claim, { seen: await runs.getTurn(key.job) }, NOON);
    await operator.pause(target, ANN);
    await operator.resume(target, ANN);
    expect(await runs.getTurn(key.job)).toEqual({ job: key.job, version: 1, holder: NOON });
  });
});

describe('skip', () => {
  test('what only waits is skipped; a lost answer is no refusal', async () => {
    const target = aJob();
    const key = { job: target.job.name, scheduledTime: NOON };
    await runs.queue(key, { nextAttemptAt: NOON, trigger: 'schedule' }, NOON);
    const isLost = loseFirstAnswer('UpdateItem');
    await operator.skip(target, NOON, ANN);
    expect([isLost(), await runs.getRun(key)]).toMatchObject([true, { status: 'skipped', requestNote: 'because' }]);
  });

  test('a retry that waits has begun', async () => {
    const target = aJob();
    const key = { job: target.job.name, scheduledTime: NOON };
    const claim = { claimToken: 'x', now: NOON, leaseExpiresAt: NOON + MINUTE, deadBefore: 0, maxAttempts: 3 };
    const answer = await runs.claim({ ...key, ...claim, trigger: 'schedule', revision: 'r1' });
    if (answer.outcome !== 'claimed') throw new Error('not claimed');
    await runs.end(answer.claim, { status: 'pending', nextAttemptAt: NOON + MINUTE, error: 'no' }, NOON);
    await expect(operator.skip(target, NOON, ANN)).rejects.toMatchObject({ code: 'AlreadyBegun' });
  });
});

describe('backfill', () => {
  const range = { from: NOON - 5 * MINUTE, to: NOON, limit: 5 };

  test('goes on where an error ended it', async () => {
    const target = aJob();
    const delivered: number[] = [];
    let left = 2;
    const failing = new Operator({
      store,
      requests,
      now: () => NOON,
      invoker: {
        async deliver({ scheduledTime }) {
          if (left-- === 0) throw new Error('throttled');
          delivered.push(scheduledTime);
        },
      },
    });
    await expect(failing.backfill(target, range, ANN)).rejects.toThrow('throttled');
    const keys = [4, 3, 2, 1, 0].map((ago) => ({ job: target.job.name, scheduledTime: NOON - ago * MINUTE }));
    expect(await store.getRuns(keys)).toHaveLength(2);
    // Whether the first two have begun is not known: they are delivered again, and claimed once.
    const { open } = await operator.backfill(target, range, ANN);
    expect(open).toEqual(keys.map(({ scheduledTime }) => scheduledTime));
    expect(invoker.delivered.every(({ trigger }) => trigger === 'backfill')).toBe(true);
  });

  test('one more than the limit is refused before anything is written', async () => {
    const target = aJob();
    await expect(operator.backfill(target, { ...range, limit: 4 }, ANN)).rejects.toMatchObject({
      code: 'TooManyOccurrences',
    });
    expect([await store.getRuns([{ job: target.job.name, scheduledTime: NOON }]), invoker.delivered]).toEqual([[], []]);
  });
});
