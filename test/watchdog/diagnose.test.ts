import { LambdaClient } from '@aws-sdk/client-lambda';
import { describe, expect, test } from 'vitest';
import { diagnose } from '../../lambdas/watchdog/diagnose.ts';
import { watchManifest } from '../../lambdas/watchdog/watched-manifest.ts';
import { readDeadLetter } from '../../lib/adapters/dead-letter-queue/read-dead-letter.ts';
import { DeployedFunctions } from '../../lib/adapters/lambda-invoker/deployed-functions.ts';
import type { SweepAction } from '../../lib/domain/watch/plan-sweep.ts';
import type { EvidenceSource } from '../../lib/domain/watch/ports.ts';
import { jobDefinition } from '../support/job-definition.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');

const manifest = watchManifest({
  version: 1,
  environment: 'test',
  scheduler: 'test',
  jobsStacks: 'test/jobs',
  jobs: [jobDefinition(), jobDefinition({ name: 'other' })],
  functions: { sync: 'belfry-test_sync', other: 'belfry-test_other' },
  awsSchedules: { sync: [{ expression: 'cron(* * * * ? *)', timeZone: 'UTC' }] },
});

const missed = (job: string, scheduledTime = NOON): SweepAction => ({
  type: 'recordMissed',
  key: { job, scheduledTime },
  cause: 'unknown',
});

const SOUND: EvidenceSource = {
  schedule: async (name) => ({
    name,
    found: {
      expression: 'cron(* * * * ? *)',
      timeZone: 'UTC',
      isEnabled: true,
      target: 'arn:aws:lambda:eu-west-1:1:function:belfry-test_sync',
      input: '{"job":"sync","scheduledTime":"<aws.scheduler.scheduled-time>"}',
    },
  }),
  function: async () => ({ exists: true, state: 'Active' }),
  undelivered: async () => [],
};

const AT = { now: NOON + 2 * MINUTE, late: [], firingLatenessMs: undefined };

async function causes(source: Partial<EvidenceSource>, actions: readonly SweepAction[], lateness?: number) {
  const evidence = async () => ({ ...SOUND, ...source });
  const diagnosed = await diagnose({ manifest, evidence }, actions, { ...AT, firingLatenessMs: lateness });
  return diagnosed.actions.map((action) => (action.type === 'recordMissed' ? action.cause : action.type));
}

describe('diagnose', () => {
  test('names the cause of each miss by itself, and leaves other actions as they are', async () => {
    const actions = [
      missed('sync'),
      missed('other'),
      { type: 'catchUp', key: { job: 'sync', scheduledTime: NOON } } as const,
    ];
    const source = { function: async (name: string) => ({ exists: name !== 'belfry-test_other' }) };
    expect(await causes(source, actions)).toEqual(['unknown', 'functionMissing', 'catchUp']);
  });

  test('says which command begins to put it right', async () => {
    const evidence = async () => ({ ...SOUND, schedule: async (name: string) => ({ name }) });
    const { actions, causes } = await diagnose({ manifest, evidence }, [missed('sync')], AT);
    expect(causes.get('sync')).toMatchObject({ cause: 'scheduleDeleted' });
    expect(actions[0]).toMatchObject({ cause: 'scheduleDeleted', fix: "cdk deploy 'test/jobs' --revert-drift" });
  });

  test('what cannot be looked at is no evidence and no error', async () => {
    const refuse = () => Promise.reject(new Error('access denied'));
    expect(await causes({ schedule: refuse, function: refuse, undelivered: refuse }, [missed('sync')])).toEqual([
      'unknown',
    ]);
    expect(await causes({ schedule: refuse, function: async () => ({ exists: false }) }, [missed('sync')])).toEqual([
      'functionMissing',
    ]);
  });

  test('an occurrence whose schedule a deployment has just replaced was not missed', async () => {
    const found = (await SOUND.schedule('sync', AbortSignal.abort())).found;
    const replaced = (revision: string) => ({
      schedule: async (name: string) => ({
        name,
        found: {
          ...(found ?? Object.create(null)),
          expression: 'cron(0 9 * * ? *)',
          input: JSON.stringify({ job: 'sync', scheduledTime: '<aws.scheduler.scheduled-time>', revision }),
        },
      }),
    });
    expect(await causes(replaced('r2'), [missed('sync')])).toEqual(['recordSkipped']);
    expect(await causes(replaced('r1'), [missed('sync')])).toEqual(['scheduleChanged']);
  });

  test('late firing is evidence of late firing', async () => {
    expect(await causes({}, [missed('sync')], 200_000)).toEqual(['providerLate']);
    expect(await causes({}, [missed('sync')], 2_000)).toEqual(['unknown']);
  });

  test('how things are now says nothing about an hour ago', async () => {
    expect(await causes({ function: async () => ({ exists: false }) }, [missed('sync', NOON - 60 * MINUTE)])).toEqual([
      'unknown',
    ]);
  });

  test('a flood of misses does not become a flood of questions', async () => {
    let asked = 0;
    const source = {
      function: async () => {
        asked += 1;
        return { exists: true };
      },
    };
    const many = watchManifest({
      version: 1,
      environment: 'test',
      scheduler: 'test',
      jobsStacks: 'test/jobs',
      jobs: [],
      functions: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`job-${index}`, `f-${index}`])),
    });
    const actions = Array.from({ length: 500 }, (_, index) => missed(`job-${index}`));
    await diagnose({ manifest: many, evidence: async () => ({ ...SOUND, ...source }) }, actions, AT);
    expect(asked).toBe(20);
  });

  test('nothing is asked, and no client made, when nothing was missed', async () => {
    const evidence = () => Promise.reject(new Error('not needed'));
    const action = { type: 'catchUp', key: { job: 'sync', scheduledTime: NOON } } as const;
    expect((await diagnose({ manifest, evidence }, [action], AT)).actions).toEqual([action]);
  });
});

describe('an undelivered event', () => {
  const event = { job: 'sync', scheduledTime: '2026-06-01T12:00:00Z' };
  const envelope = { MessageId: 'm1', Attributes: { SentTimestamp: String(NOON + 1_000) } };
  const attributes = (values: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(values).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
    );

  test('of EventBridge Scheduler', () => {
    const MessageAttributes = attributes({
      ERROR_CODE: 'AccessDeniedException',
      ERROR_MESSAGE: 'not authorized',
      RETRY_ATTEMPTS: '185',
      SCHEDULE_ARN: 'arn:aws:scheduler:eu-west-1:1:schedule/app/app_sync.2',
      SCHEDULED_TIME: '2026-06-01T12:00:00Z',
    });
    const found = {
      id: 'm1',
      givenUpAt: NOON + 1_000,
      from: 'scheduler',
      code: 'AccessDeniedException',
      message: 'not authorized',
      retries: 185,
      event: { job: 'sync', scheduledTime: NOON, trigger: 'schedule' },
    };
    expect(readDeadLetter({ ...envelope, Body: JSON.stringify(event), MessageAttributes })).toEqual(found);
    // Cut, or with what EventBridge Scheduler would have put in.
    expect(readDeadLetter({ ...envelope, Body: '{"job":"sy', MessageAttributes })).toEqual(found);
    const unsubstituted = JSON.stringify({ job: 'sync', scheduledTime: '<aws.scheduler.scheduled-time>' });
    expect(readDeadLetter({ ...envelope, Body: unsubstituted, MessageAttributes })).toEqual(found);
  });

  test('of Lambda', () => {
    const MessageAttributes = attributes({ RequestID: 'x', ErrorCode: '200', ErrorMessage: 'Task timed out' });
    expect(readDeadLetter({ ...envelope, Body: JSON.stringify(event), MessageAttributes })).toMatchObject({
      event: { job: 'sync', scheduledTime: NOON },
      from: 'function',
      code: '200',
      message: 'Task timed out',
    });
  });

  test('of a stream says how many changes nobody was told of', () => {
    const record = {
      requestContext: { condition: 'RetryAttemptsExhausted' },
      DDBStreamBatchInfo: { batchSize: 7, streamArn: 'arn:aws:dynamodb:eu-west-1:1:table/runs/stream/1' },
    };
    expect(readDeadLetter({ ...envelope, Body: JSON.stringify(record) })).toEqual({
      id: 'm1',
      givenUpAt: NOON + 1_000,
      from: 'stream',
      code: 'RetryAttemptsExhausted',
      message: '',
      changes: 7,
    });
  });

  test('that is none of ours is none of an occurrence', () => {
    for (const Body of ['hello', '', '[1]', 'null', '{"job":5}']) {
      expect(readDeadLetter({ ...envelope, Body })).toMatchObject({ from: 'unknown', message: Body });
      expect(readDeadLetter({ ...envelope, Body })).not.toHaveProperty('event');
    }
  });
});

test('an error that says nothing of the function is passed on', async () => {
  const client = new LambdaClient({ region: 'eu-west-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } });
  const functions = new DeployedFunctions(client);
  client.middlewareStack.add(() => async () => Promise.reject(new Error('no network')), { step: 'initialize' });
  await expect(functions.look('f')).rejects.toThrow('no network');
});
