import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { DynamoDbWatchStore } from '../../lib/adapters/dynamodb-watch-store/dynamodb-watch-store.ts';
import { deadLettersCommand } from '../../lib/cli/dead-letters.ts';
import { runCommand } from '../../lib/cli/run.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import { EndpointServer } from '../../lib/local/endpoints/endpoint-server.ts';
import { sqsRoute } from '../../lib/local/endpoints/sqs-route.ts';
import { LocalQueues } from '../../lib/local/queues/local-queues.ts';
import { StateFolder } from '../../lib/local/state-folder.ts';
import { type AwsServices, startAwsServices } from '../support/aws-services.ts';
import { belfry } from '../support/belfry-cli.ts';
import { type DynamoDbServer, startDynamoDb } from '../support/dynamodb-server.ts';
import { inProcess } from '../support/in-process-cli.ts';
import { jobDefinition } from '../support/job-definition.ts';

const HOUR = 3_600_000;
const TABLE = 'run-table';
const QUEUE = 'given-up';
const NOW = Math.floor(Date.now() / HOUR) * HOUR;
const iso = (hours: number) => formatInstant(NOW + hours * HOUR);
const arn = (name: string) => `arn:aws:lambda:us-east-1:111122223333:function:${name}`;

let server: DynamoDbServer;
let services: AwsServices;
let client: DynamoDBClient;
let store: DynamoDbRunStore;
let queues: LocalQueues;
let queueServer: EndpointServer;
const home = mkdtempSync(join(tmpdir(), 'belfry-letters-'));

beforeAll(async () => {
  server = await startDynamoDb();
  await server.createTable(TABLE);
  client = server.client();
  store = new DynamoDbRunStore(client, TABLE);
  queues = new LocalQueues(
    StateFolder.open(home, 'dev', false),
    () => Date.now(),
    new Map([['arn', QUEUE]]),
    () => {},
  );
  queueServer = await EndpointServer.listen([sqsRoute(queues)]);
  services = await startAwsServices(
    [
      { name: 'billing_sync', group: 'billing', targetArn: arn('billing_sync') },
      { name: 'billing_report', group: 'billing', targetArn: arn('billing_report') },
    ],
    [
      {
        name: 'billing-watchdog',
        variables: {
          BELFRY_ENVIRONMENT: 'dev',
          BELFRY_TABLE: TABLE,
          BELFRY_DEAD_LETTERS: `https://sqs.us-east-1.amazonaws.com/111122223333/${QUEUE}`,
        },
      },
    ],
  );
  const watchStore = new DynamoDbWatchStore(client, TABLE);
  await watchStore.saveRoster('a', [
    jobDefinition({ schedule: '0 * * * *' }),
    jobDefinition({ name: 'report', schedule: '@hourly' }),
  ]);
  const epochs = [{ roster: 'a', from: NOW - 48 * HOUR, before: NOW - 48 * HOUR }];
  const rest = { open: [], effectiveFrom: {}, pauses: {}, incidents: [], version: 1 };
  await watchStore.save({ sweptAt: NOW, lastAt: NOW, epochs, ...rest });
});

beforeEach(() => {
  services.invoked.length = 0;
  services.invokeStatus = 202;
  for (const { messageId } of queues.receive(QUEUE, 1_000, 0)) queues.delete(QUEUE, messageId);
});

afterAll(async () => {
  queueServer.close();
  queues.close();
  await services[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

const event = (job: string, hours: number) => JSON.stringify({ job, scheduledTime: iso(hours), revision: 'r1' });

/** As Lambda gives an event up, and as EventBridge Scheduler does. */
function givenUp(job: string, hours: number): void {
  queues.send(QUEUE, event(job, hours), { RequestID: 'x', ErrorCode: '200', ErrorMessage: 'boom' });
}
function refused(job: string, hours: number): void {
  queues.send(QUEUE, event(job, hours), {
    ERROR_CODE: 'AccessDeniedException',
    ERROR_MESSAGE: 'not authorized',
    RETRY_ATTEMPTS: '3',
    SCHEDULE_ARN: `arn:aws:scheduler:us-east-1:111122223333:schedule/billing/billing_${job}`,
    SCHEDULED_TIME: iso(hours),
  });
}

function ask(...args: string[]) {
  return inProcess([deadLettersCommand, runCommand], args, {
    AWS_ENDPOINT_URL_DYNAMODB: server.url,
    AWS_ENDPOINT_URL_LAMBDA: services.url,
    AWS_ENDPOINT_URL_SCHEDULER: services.url,
    AWS_ENDPOINT_URL_SQS: queueServer.url,
    AWS_MAX_ATTEMPTS: '1',
  });
}

async function answer(code: number, ...args: string[]) {
  const got = await ask(...args, '--json');
  expect([got.code, got.stderr]).toEqual([code, '']);
  return JSON.parse(got.stdout);
}

test('lists what was given up, by occurrence, in words, and hides nothing from others', async () => {
  givenUp('sync', -3);
  givenUp('sync', -3);
  refused('report', -2);
  queues.send(
    QUEUE,
    JSON.stringify({ requestContext: { condition: 'RetryAttemptsExhausted' }, DDBStreamBatchInfo: { batchSize: 4 } }),
  );
  const { deadLetters, mayBeMore, environment } = await answer(0, 'dead-letters');
  expect([environment, mayBeMore]).toEqual(['dev', false]);
  expect(deadLetters).toHaveLength(3);
  expect(deadLetters).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        job: 'sync',
        scheduledTime: iso(-3),
        times: 2,
        why: 'the function failed at its last attempt: boom',
      }),
      expect.objectContaining({
        job: 'report',
        why: 'EventBridge Scheduler could not hand it to Lambda (AccessDeniedException, tried again 3 times): not authorized',
      }),
      expect.objectContaining({ job: null, why: expect.stringContaining('lifecycle events of 4 changes') }),
    ]),
  );
  expect(queues.count(QUEUE)).toEqual({ visible: 4, hidden: 0 });
  expect((await answer(0, 'dead-letters', '--job', 'report')).deadLetters).toHaveLength(1);
  const { stdout } = await ask('dead-letters');
  expect(stdout).toContain('(lifecycle events)');
});

test('a long queue is listed as far as ten looks reach, and says that there may be more', async () => {
  for (let number = 0; number < 130; number++) givenUp('sync', -number - 1);
  const { deadLetters, mayBeMore } = await answer(0, 'dead-letters');
  expect([deadLetters.length, mayBeMore]).toEqual([100, true]);
});

test('delivers the same event to the function again, writes down who asked, and gives the others back', async () => {
  givenUp('sync', -3);
  givenUp('sync', -4);
  refused('report', -2);
  const done = await answer(0, 'dead-letters', 'deliver', 'sync', iso(-4), '--by', 'ann', '--note', 'key is back');
  expect(done).toMatchObject({
    outcomes: [{ letter: `sync ${iso(-4)}`, became: 'delivered' }],
    by: 'ann',
    note: 'key is back',
  });
  expect(services.invoked).toEqual([
    {
      functionName: arn('billing_sync'),
      event: { job: 'sync', scheduledTime: iso(-4), trigger: 'schedule', revision: 'r1' },
    },
  ]);
  expect(queues.count(QUEUE)).toEqual({ visible: 2, hidden: 0 });
  expect(await answer(0, 'run', 'sync', iso(-4))).toMatchObject({ status: 'pending', requestedBy: 'ann' });

  services.invoked.length = 0;
  await answer(0, 'dead-letters', 'deliver', '--all');
  expect(services.invoked.map(({ event }) => event.job).sort()).toEqual(['report', 'sync']);
  expect(queues.count(QUEUE)).toEqual({ visible: 0, hidden: 0 });
});

test('an event that came twice is delivered once', async () => {
  givenUp('sync', -5);
  givenUp('sync', -5);
  const { outcomes } = await answer(0, 'dead-letters', 'deliver', 'sync');
  expect(outcomes.map(({ became }: { became: string }) => became)).toEqual(['delivered', 'discarded']);
  expect(services.invoked).toHaveLength(1);
});

test('an occurrence that has its outcome is told and discarded', async () => {
  await store.recordMissed({ job: 'sync', scheduledTime: NOW - 6 * HOUR }, 'functionFailing', NOW);
  givenUp('sync', -6);
  const { outcomes } = await answer(0, 'dead-letters', 'deliver', 'sync');
  expect(outcomes).toEqual([
    {
      letter: `sync ${iso(-6)}`,
      became: 'discarded',
      why: "it is missed already; 'belfry trigger sync' starts a run in its stead",
    },
  ]);
  expect([services.invoked, queues.count(QUEUE).visible]).toEqual([[], 0]);
});

test('what its function would refuse, or Lambda does not take, stays in the queue', async () => {
  givenUp('sync', -24 * 40);
  expect((await answer(1, 'dead-letters', 'deliver', 'sync')).outcomes).toMatchObject([
    { became: 'kept', why: expect.stringContaining("'belfry trigger sync'") },
  ]);
  services.invokeStatus = 403;
  givenUp('report', -7);
  expect((await answer(1, 'dead-letters', 'deliver', 'report')).outcomes).toMatchObject([
    { became: 'kept', why: expect.stringContaining('it was not taken') },
  ]);
  expect(queues.count(QUEUE)).toEqual({ visible: 2, hidden: 0 });
  expect(await store.getRun({ job: 'report', scheduledTime: NOW - 7 * HOUR })).toBeUndefined();
});

test('discards only what was meant, and only when it was confirmed', async () => {
  givenUp('sync', -3);
  refused('report', -2);
  queues.send(QUEUE, 'hello');
  const asked = await ask('dead-letters', 'discard', 'sync');
  expect([asked.code, asked.stdout, asked.stderr]).toEqual([
    2,
    '',
    'discarding asks first, and there is no terminal to ask in: say --yes\n',
  ]);
  expect(queues.count(QUEUE).visible).toBe(3);
  await answer(0, 'dead-letters', 'discard', 'sync', '--yes');
  await answer(0, 'dead-letters', 'discard', '--other', '--yes');
  expect(queues.count(QUEUE)).toEqual({ visible: 1, hidden: 0 });
  expect((await answer(0, 'dead-letters')).deadLetters).toMatchObject([{ job: 'report' }]);
  expect((await answer(1, 'dead-letters', 'discard', 'sync', '--yes')).outcomes).toEqual([]);
  expect(services.invoked).toEqual([]);
});

test('flags before deliver and discard count as if they stood behind', async () => {
  givenUp('sync', -3);
  const local = await ask('dead-letters', '--local', '--environment', 'nowhere', 'deliver', 'sync');
  expect([local.code, local.stdout]).toEqual([2, '']);
  expect(local.stderr).toContain("nothing of environment 'nowhere' has been run in this folder");
  const other = await ask(
    'dead-letters',
    '--environment',
    'nowhere',
    'deliver',
    'sync',
    '--environment',
    'dev',
    '--json',
  );
  expect([other.code, other.stderr]).toEqual([0, '']);
  const job = await ask('dead-letters', '--job', 'sync', 'deliver', '--all');
  expect([job.code, job.stdout]).toEqual([2, '']);
  expect(job.stderr).toContain("--job goes with the list: name the job behind 'deliver' instead");
});

test('says of a firing that was not due that nothing is lost', async () => {
  const uneven = JSON.stringify({ job: 'sync', scheduledTime: iso(-1), revision: 'r1', everyMs: 7 * HOUR });
  const isDue = (NOW - HOUR) % (7 * HOUR) === 0;
  queues.send(QUEUE, uneven, { RequestID: 'x', ErrorCode: '200', ErrorMessage: 'boom' });
  const { deadLetters } = await answer(0, 'dead-letters');
  expect(deadLetters).toMatchObject([{ job: 'sync', why: expect.stringMatching(/nothing was due then|at its last/) }]);
  expect(deadLetters[0].why.startsWith('nothing was due then, so nothing is lost: ')).toBe(!isDue);
});

test.each([
  [['deliver'], 'say which dead letters: a job, a job and a scheduled time, or --all'],
  [['deliver', 'sync', '--all'], 'say which dead letters'],
  [['discard', '--yes'], 'say which dead letters'],
  [['discard', '--all', '--other', '--yes'], 'say which dead letters'],
  [['deliver', 'nope'], "there is no job 'nope' in dev: known are sync, report"],
  [['--job', 'nope'], "there is no job 'nope' in dev"],
  [['deliver', 'sync', 'tomorrow'], ''],
  [['frob'], ''],
])('wrong input is one clear line and exit 2: %j', async (args, line) => {
  const { code, stdout, stderr } = await ask('dead-letters', ...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(line);
  if (line !== '') expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('the command line knows it, and wrong usage below it ends with 2', async () => {
  const { code, stdout } = await belfry(['--help']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('  dead-letters ')]);
  expect((await belfry(['dead-letters', 'deliver', 'sync', 'tomorrow'])).code).toBe(2);
});
