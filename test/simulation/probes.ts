import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import type { ClaimRequest, Ending, Renewal, TurnToTake } from '../../lib/domain/ports.ts';
import type { Claim, RunRecord, TurnRecord } from '../../lib/domain/run/run-record.ts';
import { type AppliedWrite, MemoryDynamoDb, type MemoryDynamoDbOptions } from '../support/memory-dynamodb.ts';
import { judgeRefusal, judgeRunWrite, judgeTurnWrite, recordIn, Violation } from './invariants.ts';

/*
 * Situations that a simulation comes to by chance only now and then, made on purpose: somebody writes who may not. The
 * same judges look at the write.
 */

const T0 = Date.parse('2026-11-02T13:00:00Z');
const KEY = { job: 'probe', scheduledTime: T0 };
const RETRY: Ending = { status: 'pending', nextAttemptAt: T0, error: 'x' };
const EFFECT: TransactWriteItem = { Put: { TableName: 'effects', Item: { pk: { S: 'a' }, sk: { S: '$' } } } };

type Act = (store: DynamoDbRunStore, claim: Claim, now: number) => Promise<unknown>;

const ENDINGS: readonly Ending[] = [
  { status: 'succeeded' },
  { status: 'succeeded', result: '1' },
  { status: 'failed', error: 'x' },
  { status: 'failed', error: 'x', cause: 'cancelled' },
  { status: 'timedOut', error: 'x' },
  { status: 'timedOut', error: 'x', cause: 'held' },
  { status: 'pending', nextAttemptAt: T0 + 9, error: 'x' },
  { status: 'continuing', nextAttemptAt: T0 },
  { status: 'continuing', nextAttemptAt: T0, checkpoint: '{}' },
  { status: 'yielded', nextAttemptAt: T0 },
  { status: 'skipped', cause: 'overlap' },
];
const RENEWALS: readonly Omit<Renewal, 'leaseExpiresAt'>[] = [
  {},
  { checkpoint: { text: '{}', number: 1 } },
  { progress: '1/2' },
  { checkpoint: { text: '{}', number: 1 }, progress: '1/2' },
];

const OWNER_ACTS: readonly Act[] = [
  ...ENDINGS.map(
    (ending): Act =>
      (store, claim, now) =>
        store.end(claim, ending, now),
  ),
  ...RENEWALS.map(
    (more): Act =>
      (store, claim, now) =>
        store.renew(claim, { leaseExpiresAt: now + 60_000, ...more }, now),
  ),
  (store, claim, now) => store.commit(claim, [EFFECT], undefined, now),
];

/** Who writes, although the run is not theirs. */
const INTRUDERS: Readonly<Record<string, (store: DynamoDbRunStore, act: Act) => Promise<unknown>>> = {
  async 'an earlier claim of the same invocation'(store, act) {
    const first = await claim(store);
    await store.end(first, RETRY, T0);
    await claim(store, { now: T0 + 1 });
    await act(store, first, T0 + 2);
  },
  async 'a claim of the same number from before a restore'(store, act) {
    await act(store, { ...(await claim(store)), claimToken: 'B' }, T0 + 1);
  },
  async 'the owner, after the end'(store, act) {
    const owned = await claim(store);
    await store.end(owned, { status: 'failed', error: 'first' }, T0 + 1);
    await act(store, owned, T0 + 2);
  },
};

const OTHERS: Readonly<Record<string, (store: DynamoDbRunStore) => Promise<unknown>>> = {
  async 'closing what was claimed since'(store) {
    const first = await claim(store);
    await store.end(first, RETRY, T0);
    const seen = await read(store);
    await store.end(await claim(store, { claimToken: 'B' }), RETRY, T0);
    await store.close(seen, { cause: 'cancelled', deadBefore: T0 }, T0);
  },
  async 'closing what was closed'(store) {
    await store.end(await claim(store), RETRY, T0);
    const seen = await read(store);
    await store.close(seen, { cause: 'cancelled', deadBefore: T0 }, T0);
    await store.close(seen, { cause: 'exhausted', deadBefore: T0 }, T0 + 1);
  },
  async 'cancelling what is finished'(store) {
    await store.end(await claim(store), { status: 'succeeded' }, T0);
    await store.requestCancel({ ...(await read(store)), status: 'running' }, T0 + 1);
  },
  async 'retrying when a deployment has left no attempt'(store) {
    await store.end(await claim(store), RETRY, T0);
    await store.claim(request({ claimToken: 'B', maxAttempts: 1 }));
  },
};

/** One save after the other, then the first one again, which was on its way all the time. */
const SAVES: Readonly<Record<string, (store: DynamoDbRunStore) => Promise<unknown>>> = Object.fromEntries(
  [{}, { progress: '1/2' }].map((more, index) => [
    `saving twice, ${index}`,
    async (store: DynamoDbRunStore) => {
      const owned = await claim(store);
      const save = (number: number) =>
        store.renew(owned, { leaseExpiresAt: T0 + 60_000, checkpoint: { text: '{}', number }, ...more }, T0);
      for (const number of [1, 2]) {
        if ((await save(number)) !== 'written') throw new Violation('an owner could not save');
      }
      await save(1);
    },
  ]),
);

type Take = Omit<TurnToTake, 'seen'>;

const TAKES: readonly Take[] = [{}, { windowFrom: T0 }, { remembered: true }, { remembered: true, windowFrom: T0 }];

/** Taking a turn as it was one holder ago, and one of a job that was paused meanwhile. */
const TURNS: Readonly<Record<string, (store: DynamoDbRunStore, take: Take) => Promise<unknown>>> = {
  async 'a turn that another run has since'(store, take) {
    const seen = await turnOfFinished(store);
    await store.takeTurn(await claim(store, { scheduledTime: T0 + 60_000 }), { seen }, T0);
    const late = await claim(store, { scheduledTime: T0 + 120_000, claimToken: 'B' });
    await store.takeTurn(late, { seen, ...take }, T0);
  },
  async 'a turn that another run has since, by the one that waits'(store, take) {
    const waits = { ...KEY, scheduledTime: T0 + 120_000 };
    await turnOfFinished(store);
    await store.buffer(waits, await store.getTurn(KEY.job));
    const seen = await store.getTurn(KEY.job);
    await store.takeTurn(await claim(store, { scheduledTime: T0 + 60_000 }), { seen }, T0);
    await store.takeTurn(await claim(store, { ...waits, claimToken: 'B' }), { seen, ...take }, T0);
  },
  async 'the turn of a paused job'(store, take) {
    const seen = await turnOfFinished(store);
    await store.pause(KEY.job, { by: 'somebody', note: '' }, T0);
    const taken = await store.takeTurn(await claim(store, { scheduledTime: T0 + 60_000 }), { seen, ...take }, T0);
    if (taken && take.remembered === true) throw new Violation('a pause was passed over');
  },
};

async function turnOfFinished(store: DynamoDbRunStore): Promise<TurnRecord> {
  const owned = await claim(store);
  await store.takeTurn(owned, { seen: await store.getTurn(KEY.job) }, T0);
  await store.end(owned, { status: 'succeeded' }, T0);
  return store.getTurn(KEY.job);
}

/** The first violation that the probes come upon, with its name. */
export async function probe(mutate: NonNullable<MemoryDynamoDbOptions['mutate']>): Promise<string | undefined> {
  const probes = [
    ...Object.entries(OTHERS),
    ...Object.entries(SAVES),
    ...Object.entries(TURNS).flatMap(([name, take]) =>
      TAKES.map((how) => [name, (store: DynamoDbRunStore) => take(store, how)] as const),
    ),
    ...Object.entries(INTRUDERS).flatMap(([name, intrude]) =>
      OWNER_ACTS.map((act) => [name, (store: DynamoDbRunStore) => intrude(store, act)] as const),
    ),
  ];
  for (const [name, run] of probes) {
    for (const hideReturnedItems of [false, true]) {
      const db: MemoryDynamoDb = new MemoryDynamoDb({
        mutate,
        hideReturnedItems,
        onWrite: (write) => judgeWrite(write, db),
        onRefused: judgeRefusal,
      });
      const client = { send: async (command: Parameters<MemoryDynamoDb['apply']>[0]) => db.apply(command) };
      try {
        await run(new DynamoDbRunStore(client as unknown as DynamoDBClient, 'runs'));
      } catch (error) {
        const violation = error instanceof Violation ? error : (error as Error).cause;
        if (!(violation instanceof Violation)) throw error;
        return `${name}: ${violation.message}`;
      }
    }
  }
  return undefined;
}

function judgeWrite(write: AppliedWrite, db: MemoryDynamoDb): void {
  const sort = write.after?.sk?.S;
  if (sort?.startsWith('R#') === true) judgeRunWrite(write);
  if (sort !== '$') return;
  judgeTurnWrite(write, (scheduledTime) => recordIn(db, { ...KEY, scheduledTime }));
}

function request(more: Partial<ClaimRequest> = {}): ClaimRequest {
  const times = { now: T0, leaseExpiresAt: T0 + 60_000, deadBefore: T0 - 5_000 };
  return { ...KEY, ...times, claimToken: 'A', maxAttempts: 3, trigger: 'schedule', revision: 'r1', ...more };
}

async function claim(store: DynamoDbRunStore, more: Partial<ClaimRequest> = {}): Promise<Claim> {
  const answer = await store.claim(request(more));
  if (answer.outcome !== 'claimed') throw new Violation(`a claim was answered ${answer.outcome}`);
  return answer.claim;
}

async function read(store: DynamoDbRunStore): Promise<RunRecord> {
  const run = await store.getRun(KEY);
  if (run === undefined) throw new Violation('the record is gone');
  return run;
}
