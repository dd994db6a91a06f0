import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { type BelfryContext, belfry, defineJob, type RuntimeDependencies } from '../../lambdas/runtime/index.ts';
import { MemoryRunStore, SettableClock } from '../../lambdas/runtime/testing/index.ts';
import { jobDefinition } from '../support/job-definition.ts';

const scheduledTime = '2026-11-02T13:00:00Z';
const KEY = { job: 'sync', scheduledTime: Date.parse(scheduledTime) };

function world(overrides: Parameters<typeof jobDefinition>[0] = {}) {
  const clock = new SettableClock(scheduledTime);
  const store = new MemoryRunStore<never>();
  const lines: Record<string, unknown>[] = [];
  let tokens = 0;
  const dependencies = (): RuntimeDependencies => ({
    job: jobDefinition({ overlap: 'allow', ...overrides }),
    environment: 'test',
    scheduler: 'test',
    store: store as RuntimeDependencies['store'],
    clock,
    newClaimToken: () => `token-${++tokens}`,
    print: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  const endsAt = clock.now() + 65_000;
  const context = () =>
    ({
      awsRequestId: 'r',
      invokedFunctionArn: 'arn',
      getRemainingTimeInMillis: () => endsAt - clock.now(),
    }) as unknown as Context;
  return { clock, store, lines, dependencies, context };
}

const runOf = (context: Context) => (context as Context & BelfryContext).belfryRun;

describe('the middleware', () => {
  test('claims before the handler, records its success after it', async () => {
    const { store, dependencies, context } = world();
    const seen: unknown[] = [];
    const handler = middy<unknown>()
      .use(belfry({ dependencies }))
      .handler(async (_event: unknown, own: Context) => {
        seen.push(runOf(own).idempotencyKey, (await store.getRun(KEY))?.status);
        return { rows: 3 };
      });
    expect(await handler({ job: 'sync', scheduledTime }, context())).toMatchObject({
      outcome: 'succeeded',
      attempt: 1,
    });
    expect(seen).toEqual([`test/sync@${scheduledTime}`, 'running']);
    expect(await store.getRun(KEY)).toMatchObject({ status: 'succeeded', result: '{"rows":3}' });
    expect(await handler({ job: 'sync', scheduledTime }, context()), 'a duplicate ends the chain early').toMatchObject({
      outcome: 'done',
    });
    expect(seen).toHaveLength(2);
  });

  test('records a failure, and leaves the next attempt to another invocation', async () => {
    const { store, clock, dependencies, context } = world();
    let calls = 0;
    const handler = middy<unknown>()
      .use(belfry({ dependencies }))
      .handler(async () => {
        if (++calls === 1) throw new Error('first');
      });
    expect(await handler({ job: 'sync', scheduledTime }, context())).toMatchObject({ outcome: 'pending', attempt: 1 });
    expect(await store.getRun(KEY)).toMatchObject({ status: 'pending', error: 'Error: first' });
    clock.advance(1_000);
    expect(await handler({ job: 'sync', scheduledTime }, context())).toMatchObject({
      outcome: 'succeeded',
      attempt: 2,
    });
  });

  test('what a later middleware throws is a failure of the attempt', async () => {
    const { store, dependencies, context } = world({
      retry: { maxAttempts: 1, backoff: 'fixed', initialDelayMs: 1, maxDelayMs: 1 },
    });
    const handler = middy<unknown>()
      .use(belfry({ dependencies }))
      .before(() => {
        throw new Error('no secrets today');
      })
      .handler(async () => expect.unreachable());
    expect(await handler({ job: 'sync', scheduledTime }, context())).toMatchObject({ outcome: 'failed' });
    expect((await store.getRun(KEY))?.error).toContain('no secrets today');
  });

  test('records a timeout while the handler still works', async () => {
    const { store, clock, dependencies, context } = world();
    let finish = () => {};
    const handler = middy<unknown>()
      .use(belfry({ dependencies }))
      .handler(
        () =>
          new Promise<void>((resolve) => {
            finish = resolve;
            clock.advance(62_000);
          }),
      );
    const answered = handler({ job: 'sync', scheduledTime }, context());
    await expect.poll(async () => (await store.getRun(KEY))?.status).toBe('pending');
    finish();
    expect(await answered).toMatchObject({ outcome: 'pending' });
  });

  test('throws on an event that names no occurrence', async () => {
    const { dependencies, context, lines } = world();
    const handler = middy<unknown>()
      .use(belfry({ dependencies }))
      .handler(async () => expect.unreachable());
    const event = { job: 'sync', scheduledTime: '<aws.scheduler.scheduled-time>' };
    await expect(handler(event, context())).rejects.toMatchObject({ code: 'UnsubstitutedScheduledTime' });
    expect(lines).toMatchObject([{ event: 'rejected', level: 'error', code: 'UnsubstitutedScheduledTime' }]);
  });
});

describe('defineJob', () => {
  const invoke = (handler: ReturnType<typeof defineJob>, event: unknown, context: Context) => handler(event, context);

  test.each([
    ['no object', 'x', 'MalformedEvent'],
    ['another job', { job: 'other', scheduledTime }, 'UnknownJob'],
    ['no time', { job: 'sync' }, 'MalformedScheduledTime'],
    [
      'an unsubstituted time',
      { job: 'sync', scheduledTime: '<aws.scheduler.scheduled-time>' },
      'UnsubstitutedScheduledTime',
    ],
  ])('throws on an event with %s, after one line', async (_, event, code) => {
    const { dependencies, context, lines } = world();
    await expect(
      invoke(
        defineJob(() => expect.unreachable(), { dependencies }),
        event,
        context(),
      ),
    ).rejects.toMatchObject({ code });
    expect(lines).toMatchObject([{ event: 'rejected', code, job: 'sync' }]);
  });

  test('does not start with less than five seconds left', async () => {
    const { clock, dependencies, context, store } = world();
    const late = context();
    clock.advance(60_001);
    await expect(
      invoke(
        defineJob(() => expect.unreachable(), { dependencies }),
        { job: 'sync', scheduledTime },
        late,
      ),
    ).rejects.toMatchObject({
      code: 'NotEnoughTime',
    });
    expect(store.runs()).toEqual([]);
  });

  test('prints one run line and one metrics line per attempt', async () => {
    const { dependencies, context, lines, clock } = world();
    clock.advance(4_000);
    const handler = defineJob(
      ({ attempt }) => {
        if (attempt === 1) throw new TypeError('first');
      },
      { dependencies },
    );
    await invoke(handler, { job: 'sync', scheduledTime }, context());
    const [first, metrics, second] = lines;
    expect(lines).toHaveLength(4);
    expect(first).toMatchObject({
      event: 'run',
      level: 'warn',
      job: 'sync',
      scheduledTime,
      status: 'pending',
      attempt: 1,
      trigger: 'schedule',
      latenessMs: 4_000,
      fencingToken: 1,
      requestId: 'r',
      error: { name: 'TypeError', message: 'first' },
      at: '2026-11-02T13:00:04Z',
    });
    expect(metrics).toMatchObject({
      _aws: { CloudWatchMetrics: [{ Namespace: 'Belfry', Dimensions: [['Scheduler']] }] },
      Scheduler: 'test',
      Job: 'sync',
      Retried: 1,
      Failed: 0,
      Lateness: 4_000,
    });
    expect(second).toMatchObject({ event: 'run', level: 'info', status: 'succeeded', attempt: 2 });
  });
});
