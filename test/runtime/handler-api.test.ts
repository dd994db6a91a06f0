import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { defineJob, dynamoDbFence, type JobRun, sqlFence } from '../../lambdas/runtime/index.ts';
import { MemoryRunStore, SettableClock, testJob } from '../../lambdas/runtime/testing/index.ts';

const scheduledTime = '2026-11-02T13:00:00Z';
const put = (id: string) => ({ Put: { TableName: 'reminders', Item: { id: { S: id } } } });
const newStore = () => new MemoryRunStore<TransactWriteItem>();
const code = (name: string) => expect.objectContaining({ code: name });
const retry = (maxAttempts: number) => ({
  maxAttempts,
  backoff: 'fixed' as const,
  initialDelayMs: 10_000,
  maxDelayMs: 10_000,
});

async function capture(
  job: Parameters<typeof testJob>[1]['job'] = {},
  more: Partial<Parameters<typeof testJob>[1]> = {},
) {
  const seen: JobRun[] = [];
  const result = await testJob((run) => void seen.push(run), { scheduledTime, job, ...more });
  const [run] = seen;
  if (run === undefined) throw new Error('the handler was not called');
  return { run, result };
}

describe('what a handler sees', () => {
  test('identity, times and trigger', async () => {
    const { run } = await capture({ name: 'dunning', timeZone: 'America/New_York' }, { now: '2026-11-02T13:00:04Z' });
    expect(run.jobName).toBe('dunning');
    expect(run.scheduledTime).toEqual(new Date(scheduledTime));
    expect(run.localTime).toBe('2026-11-02T08:00:00-05:00');
    expect(run.attempt).toBe(1);
    expect(run.trigger).toBe('schedule');
    expect(run.lateness).toBe(4_000);
    expect(run.isCatchUp).toBe(false);
    expect(run.deadline).toEqual(new Date('2026-11-02T13:05:04Z'));
    expect(run.idempotencyKey).toBe('test/dunning@2026-11-02T13:00:00Z');
    expect(run.fencingToken).toBe(1);
  });

  test.each([
    ['UTC', '2026-11-02T13:00:00+00:00'],
    ['Asia/Kolkata', '2026-11-02T18:30:00+05:30'],
    ['Europe/London', '2026-11-02T13:00:00+00:00'],
  ])('local time in %s', async (timeZone, expected) => {
    expect((await capture({ timeZone })).run.localTime).toBe(expected);
  });

  test('a catch-up knows that it is one', async () => {
    const { run } = await capture({}, { trigger: 'catchUp' });
    expect([run.trigger, run.isCatchUp]).toEqual(['catchUp', true]);
  });

  test('the idempotency key stays over attempts, the fencing token grows', async () => {
    const seen: [string, number, number][] = [];
    const { run, deliveries } = await testJob(
      ({ idempotencyKey, fencingToken, attempt }) => {
        seen.push([idempotencyKey, fencingToken, attempt]);
        if (attempt < 3) throw new Error('not yet');
      },
      { scheduledTime, job: { retry: retry(3) } },
    );
    const key = 'test/job-under-test@2026-11-02T13:00:00Z';
    expect(seen).toEqual([1, 2, 3].map((n) => [key, n, n]));
    expect(run).toMatchObject({ status: 'succeeded', attempts: 3 });
    expect(deliveries, 'a delay of ten seconds is waited for in place').toHaveLength(1);
  });
});

describe('commit', () => {
  test('finishes the run with the items', async () => {
    const { run, committed } = await testJob((run) => run.commit([put('a')], { result: { sent: 1 } }), {
      scheduledTime,
    });
    expect(run).toMatchObject({ status: 'succeeded', result: '{"sent":1}' });
    expect(committed).toEqual([put('a')]);
  });

  test('what is thrown after it does not undo it', async () => {
    const { run, deliveries } = await testJob(
      async (run) => {
        await run.commit([put('a')]);
        throw new Error('too late');
      },
      { scheduledTime, job: { retry: retry(3) } },
    );
    expect(run.status).toBe('succeeded');
    expect(deliveries).toEqual([expect.objectContaining({ outcome: 'succeeded', attempt: 1 })]);
  });

  test('that is not awaited is waited for: its answer decides', async () => {
    const { run, committed } = await testJob((run) => void run.commit([put('a')], { result: 'committed' }), {
      scheduledTime,
    });
    expect(run).toMatchObject({ status: 'succeeded', result: '"committed"' });
    expect(committed).toEqual([put('a')]);
  });

  test('twice is an error', async () => {
    const errors: unknown[] = [];
    await testJob(
      async (run) => {
        await run.commit([put('a')]);
        await run.commit([put('b')]).catch((error: unknown) => errors.push(error));
      },
      { scheduledTime },
    );
    expect(errors).toEqual([code('CommittedTwice')]);
  });

  test('of more than 99 items is an error that says how many', async () => {
    const { run } = await testJob((run) => run.commit(Array.from({ length: 100 }, (_, i) => put(String(i)))), {
      scheduledTime,
    });
    expect(run).toMatchObject({ status: 'failed', error: expect.stringContaining('got 100 items') });
  });

  test('refused by a condition of its items says which, and the run goes on', async () => {
    const store = new MemoryRunStore<TransactWriteItem>({
      applyEffects: () => ['None', 'ConditionalCheckFailed'],
    });
    const errors: Error[] = [];
    const { run } = await testJob(
      async (run) => {
        await run.commit([put('a'), put('b')]).catch((error: Error) => errors.push(error));
        return 'did something else';
      },
      { scheduledTime, store },
    );
    expect(errors).toEqual([code('CommitRefused')]);
    expect(errors[0]?.message).toContain('item 1: ConditionalCheckFailed');
    expect(run).toMatchObject({ status: 'succeeded', result: '"did something else"' });
  });
});

describe('step', () => {
  test('is not repeated by a later attempt, which gets its value', async () => {
    let loads = 0;
    const { run } = await testJob(
      async (run) => {
        const rows = await run.step('load', () => {
          loads++;
          return [1, 2, 3];
        });
        if (run.attempt === 1) throw new Error('after the step');
        return rows.length;
      },
      { scheduledTime, job: { retry: retry(2) } },
    );
    expect(loads).toBe(1);
    expect(run).toMatchObject({ status: 'succeeded', result: '3' });
    expect(run.checkpoint).toBeUndefined();
  });

  test('that returns nothing is remembered as well', async () => {
    let sent = 0;
    await testJob(
      async (run) => {
        expect(await run.step('send', () => void sent++)).toBeUndefined();
        if (run.attempt === 1) throw new Error('x');
      },
      { scheduledTime, job: { retry: retry(2) } },
    );
    expect(sent).toBe(1);
  });

  test('values of more than 700 bytes are kept elsewhere and come back', async () => {
    const big = 'x'.repeat(50_000);
    const values: string[] = [];
    const { run } = await testJob(
      async (run) => {
        values.push(await run.step('big', () => (values.length === 0 ? big : 'done again')));
        if (run.attempt === 1) throw new Error('x');
      },
      { scheduledTime, job: { retry: retry(2) } },
    );
    expect(run.status).toBe('succeeded');
    expect(values).toEqual([big, big]);
  });

  test.each([
    [
      'a name used twice',
      async (run: JobRun) => [await run.step('a', () => 1), await run.step('a', () => 2)],
      'StepRepeated',
    ],
    ['a value without JSON', async (run: JobRun) => run.step('a', () => 10n as unknown as number), 'StepNotJson'],
    ['more than 350 KB', async (run: JobRun) => run.step('a', () => 'x'.repeat(400_000)), 'CheckpointTooLarge'],
  ])('%s is an error', async (_, handler, name) => {
    const { run } = await testJob(handler, { scheduledTime });
    expect(run).toMatchObject({ status: 'failed', error: expect.stringContaining(name) });
  });

  test('of another checkpoint version starts from nothing', async () => {
    const store = newStore();
    let loads = 0;
    const version = (checkpointVersion: string, fail: boolean) =>
      defineJob(
        async (run) => {
          await run.step('load', () => ++loads);
          if (fail) throw new Error('x');
        },
        { checkpointVersion },
      );
    const job = { retry: { ...retry(3), initialDelayMs: 120_000, maxDelayMs: 120_000 } };
    const first = await testJob(version('1', true), { scheduledTime, store, job, maxDeliveries: 1 });
    const now = first.clock.now() + 120_000;
    expect((await testJob(version('2', false), { scheduledTime, store, job, now })).run.status).toBe('succeeded');
    expect(loads).toBe(2);
  });
});

describe('window', () => {
  const minute = (n: number) => Date.parse(scheduledTime) + n * 60_000;

  test('reaches from the last success to this occurrence over failures and skips, without hole or overlap', async () => {
    const store = newStore();
    const windows: { at: number; from: number | undefined; to: number; succeeded: boolean }[] = [];
    // Any history of what becomes of nine occurrences.
    for (const [n, fate] of ['ok', 'fail', 'ok', 'fail', 'skip', 'fail', 'ok', 'ok', 'fail', 'ok'].entries()) {
      const at = minute(n);
      if (fate === 'skip') {
        await store.skip(
          { job: 'job-under-test', scheduledTime: at },
          { cause: 'overlap', trigger: 'schedule', evenIfQueued: true },
          at,
        );
        continue;
      }
      await testJob(
        ({ window }) => {
          windows.push({ at, from: window.from?.getTime(), to: window.to.getTime(), succeeded: fate === 'ok' });
          if (fate === 'fail') throw new Error('x');
        },
        { scheduledTime: at, store },
      );
    }
    const covered = windows.filter(({ succeeded }) => succeeded);
    expect(covered.map(({ from, to }) => [from, to])).toEqual([
      [undefined, minute(0)],
      [minute(0), minute(2)],
      [minute(2), minute(6)],
      [minute(6), minute(7)],
      [minute(7), minute(9)],
    ]);
    for (const { at, to } of windows) expect(to).toBe(at);
  });

  test('is empty for a run that comes after a later one has succeeded, and later ones start behind that', async () => {
    const store = newStore();
    const windows: (readonly [number | undefined, number])[] = [];
    const handler = ({ window }: JobRun) => void windows.push([window.from?.getTime(), window.to.getTime()]);
    for (const n of [0, 5, 3, 6])
      await testJob(handler, { scheduledTime: minute(n), now: minute(10 + n), store, trigger: 'backfill' });
    expect(windows).toEqual([
      [undefined, minute(0)],
      [minute(0), minute(5)],
      [minute(3), minute(3)],
      [minute(5), minute(6)],
    ]);
  });

  test('is the same for every attempt', async () => {
    const store = newStore();
    await testJob(() => {}, { scheduledTime: minute(0), store });
    const froms: unknown[] = [];
    await testJob(
      ({ window, attempt }) => {
        froms.push(window.from?.getTime());
        if (attempt < 2) throw new Error('x');
      },
      { scheduledTime: minute(4), store, job: { retry: retry(2) } },
    );
    expect(froms).toEqual([minute(0), minute(0)]);
  });

  test('needs an order of runs', async () => {
    const { run } = await testJob(({ window }) => void window, { scheduledTime, job: { overlap: 'allow' } });
    expect(run.error).toContain('WindowNeedsOrder');
  });
});

describe('deadline', () => {
  test('the signal aborts, and what then throws has timed out', async () => {
    const clock = new SettableClock(scheduledTime);
    const { run, lines } = await testJob(
      ({ signal }) => {
        clock.advance(300_000);
        signal.throwIfAborted();
      },
      { scheduledTime, now: clock, job: { timeoutMs: 60_000 } },
    );
    expect(run).toMatchObject({ status: 'timedOut', error: expect.stringContaining('DeadlineReached') });
    expect(lines.find(({ event }) => event === 'run')).toMatchObject({ status: 'timedOut', level: 'error' });
  });

  test('a handler that ends well in the second it is given has succeeded', async () => {
    const clock = new SettableClock(scheduledTime);
    const handler = () => clock.advance(60_500);
    const { run } = await testJob(handler, { scheduledTime, now: clock, job: { timeoutMs: 60_000 } });
    expect(run.status).toBe('succeeded');
  });

  test.each([
    ['retry', { status: 'succeeded', attempts: 2 }, undefined],
    ['fail', { status: 'timedOut', attempts: 1 }, undefined],
    ['hold', { status: 'timedOut', attempts: 1, cause: 'held' }, true],
  ] as const)('onTimeout %s', async (onTimeout, record, paused) => {
    const clock = new SettableClock(scheduledTime);
    const { run, store } = await testJob(
      ({ attempt, signal }) => {
        if (attempt === 1) clock.advance(61_000);
        signal.throwIfAborted();
      },
      { scheduledTime, now: clock, job: { timeoutMs: 60_000, retry: retry(2), onTimeout } },
    );
    expect(run).toMatchObject(record);
    expect((await store.getTurn(run.job)).paused).toBe(paused);
  });

  test('a held job starts nothing until a person resumes it', async () => {
    const store = newStore();
    await store.pause('job-under-test', { by: 'belfry', note: 'timed out' });
    const later = await testJob(() => {}, { scheduledTime, store });
    expect(later.run).toMatchObject({ status: 'skipped', cause: 'paused' });
    await store.resume('job-under-test');
    expect((await testJob(() => {}, { scheduledTime: '2026-11-02T14:00:00Z', store })).run.status).toBe('succeeded');
  });
});

describe('continuation', () => {
  test('goes on in fresh invocations as the same attempt of the same run', async () => {
    const pages: number[] = [];
    const { run, deliveries, lines } = await testJob(
      (run) => {
        const page = (run.state as { page: number } | undefined)?.page ?? 0;
        pages.push(page);
        expect(run.attempt).toBe(1);
        return page < 3 ? run.continueLater({ page: page + 1 }) : 'all pages';
      },
      { scheduledTime },
    );
    expect(pages).toEqual([0, 1, 2, 3]);
    expect(run).toMatchObject({ status: 'succeeded', attempts: 1, segments: 3, result: '"all pages"' });
    expect(deliveries.map(({ outcome }) => outcome)).toEqual(['pending', 'pending', 'pending', 'succeeded']);
    expect(
      lines.filter(({ event }) => event === 'run'),
      'one line in the history',
    ).toHaveLength(1);
    expect(lines.filter(({ event }) => event === 'segment')).toHaveLength(3);
  });

  test('47 minutes of steps work on invocations of 15 minutes', async () => {
    const clock = new SettableClock(scheduledTime);
    let minutes = 0;
    const { run, deliveries } = await testJob(
      async (run) => {
        for (let n = 0; n < 47; n++) {
          await run.step(`minute ${n}`, () => {
            minutes++;
            clock.advance(60_000);
          });
        }
        return minutes;
      },
      { scheduledTime, now: clock, job: { timeoutMs: 895_000, continuation: 'auto' } },
    );
    expect(run).toMatchObject({ status: 'succeeded', attempts: 1, result: '47' });
    expect(deliveries.length).toBeGreaterThan(3);
    expect(deliveries.length).toBeLessThan(7);
    expect(clock.now() - Date.parse(scheduledTime)).toBe(47 * 60_000);
  });

  test('ends after the most segments', async () => {
    const { run } = await testJob((run) => run.continueLater({ again: true }), {
      scheduledTime,
      job: { maxSegments: 4 },
    });
    expect(run).toMatchObject({ status: 'failed', cause: 'segments', error: expect.stringContaining('4 invocations') });
  });

  test('a crash between two segments is repaired by the lease', async () => {
    const clock = new SettableClock(scheduledTime);
    const store = newStore();
    const states: unknown[] = [];
    const handler = (run: JobRun) => {
      states.push(run.state);
      return states.length < 2 ? run.continueLater({ page: 1 }) : 'done';
    };
    const options = { scheduledTime, now: clock, store, job: { retry: retry(2) } };
    await testJob(handler, { ...options, maxDeliveries: 1 });
    // The next invocation claims its segment and dies without a word.
    const dying = {
      job: 'job-under-test',
      scheduledTime: Date.parse(scheduledTime),
      claimToken: 'dying',
      now: clock.now(),
      leaseExpiresAt: clock.now() + 60_000,
      deadBefore: clock.now() - 5_000,
      maxAttempts: 2,
      trigger: 'schedule' as const,
      revision: 'r1',
    };
    expect((await store.claim(dying)).outcome).toBe('claimed');
    clock.advance(66_000);
    const { run } = await testJob(handler, options);
    expect(run).toMatchObject({ status: 'succeeded', attempts: 2 });
    expect(states).toEqual([undefined, { page: 1 }]);
  });
});

test('progress is saved with what is saved anyway, and at least every fifteen seconds', async () => {
  const clock = new SettableClock(scheduledTime);
  const store = newStore();
  const seen: (string | undefined)[] = [];
  const look = async () =>
    seen.push((await store.getRun({ job: 'job-under-test', scheduledTime: Date.parse(scheduledTime) }))?.progress);
  await testJob(
    async (run) => {
      await run.progress(1, 10);
      await look();
      clock.advance(15_000);
      await run.progress(2, 10);
      await look();
      await run.progress(3, 10);
      await run.step('half', () => null);
      await look();
    },
    { scheduledTime, now: clock, store },
  );
  expect(seen).toEqual([undefined, '2/10', '3/10']);
});

test('log lines and metrics carry the run', async () => {
  const { lines } = await testJob(
    (run) => {
      run.log.info('found', { invoices: 3 });
      run.metrics.add('Invoices', 3);
    },
    { scheduledTime },
  );
  expect(lines[0]).toMatchObject({
    event: 'log',
    level: 'info',
    message: 'found',
    invoices: 3,
    job: 'job-under-test',
    attempt: 1,
  });
  expect(lines.at(-1)).toMatchObject({
    Scheduler: 'test',
    Job: 'job-under-test',
    Invoices: 3,
  });
});

describe('ready-made fences', () => {
  test('for DynamoDB', () => {
    expect(dynamoDbFence({ fencingToken: 4 })).toEqual({
      ConditionExpression: 'attribute_not_exists(#belfryFence) OR #belfryFence <= :belfryFence',
      ExpressionAttributeNames: { '#belfryFence': 'fencingToken' },
      ExpressionAttributeValues: { ':belfryFence': { N: '4' } },
    });
  });
  test('for SQL', () => {
    expect(sqlFence({ fencingToken: 4 }, { placeholder: '$3' })).toEqual({
      text: '(fencing_token IS NULL OR fencing_token <= $3)',
      values: [4],
    });
  });
});
