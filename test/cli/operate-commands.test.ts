import { userInfo } from 'node:os';
import { DeleteItemCommand, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { DynamoDbWatchStore } from '../../lib/adapters/dynamodb-watch-store/dynamodb-watch-store.ts';
import { backfillCommand } from '../../lib/cli/backfill.ts';
import { jobsCommand } from '../../lib/cli/jobs.ts';
import { pauseCommand } from '../../lib/cli/pause.ts';
import { resumeCommand } from '../../lib/cli/resume.ts';
import { runCommand } from '../../lib/cli/run.ts';
import { skipCommand } from '../../lib/cli/skip.ts';
import { triggerCommand } from '../../lib/cli/trigger.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import { type AwsServices, startAwsServices } from '../support/aws-services.ts';
import { belfry } from '../support/belfry-cli.ts';
import { type DynamoDbServer, startDynamoDb } from '../support/dynamodb-server.ts';
import { inProcess } from '../support/in-process-cli.ts';
import { jobDefinition } from '../support/job-definition.ts';

const HOUR = 3_600_000;
const TABLE = 'run-table';
const NOW = Math.floor(Date.now() / HOUR) * HOUR;
const at = (hours: number) => NOW + hours * HOUR;
const iso = (hours: number) => formatInstant(at(hours));
const arn = (name: string) => `arn:aws:lambda:us-east-1:111122223333:function:${name}`;

const watchdog = (prefix: string, environment: string, table: string) => ({
  name: `${prefix}-watchdog`,
  variables: { BELFRY_ENVIRONMENT: environment, BELFRY_TABLE: table },
});

let server: DynamoDbServer;
let services: AwsServices;
let client: DynamoDBClient;
let store: DynamoDbRunStore;

beforeAll(async () => {
  server = await startDynamoDb();
  await server.createTable(TABLE);
  client = server.client();
  store = new DynamoDbRunStore(client, TABLE);
  services = await startAwsServices(
    [
      { name: 'billing-prod_sync', group: 'billing-prod', targetArn: arn('billing-prod_sync') },
      { name: 'billing_sync', group: 'billing', targetArn: arn('billing_sync') },
      { name: 'billing_adopted', group: 'billing', targetArn: arn('made-elsewhere') },
      { name: 'billing_loose', group: 'billing', targetArn: arn('billing_shared') },
    ],
    [
      { name: 'somebody-watchdog', variables: {} },
      watchdog('billing', 'dev', TABLE),
      watchdog('billing-prod', 'prod', 'another-table'),
      watchdog('shop-prod', 'prod', 'a-third-table'),
      { name: 'billing_sync', variables: { BELFRY_ENVIRONMENT: 'dev', BELFRY_TABLE: TABLE } },
    ],
  );
  const watchStore = new DynamoDbWatchStore(client, TABLE);
  await watchStore.saveRoster('a', [
    jobDefinition({ schedule: '0 * * * *' }),
    jobDefinition({ name: 'loose', schedule: '@hourly', overlap: 'allow' }),
    jobDefinition({ name: 'adopted', schedule: '@daily' }),
    jobDefinition({ name: 'bare', schedule: '0 0 1 1 *' }),
  ]);
  const epochs = [{ roster: 'a', from: at(-48), before: at(-48) }];
  await watchStore.save({
    sweptAt: NOW,
    lastAt: NOW,
    epochs,
    open: [],
    effectiveFrom: {},
    pauses: {},
    incidents: [],
    version: 1,
  });
});

beforeEach(async () => {
  services.invoked.length = 0;
  services.invokeStatus = 202;
  await client.send(new DeleteItemCommand({ TableName: TABLE, Key: { pk: { S: 'J#sync' }, sk: { S: '$' } } }));
});

afterAll(async () => {
  await services[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const COMMANDS = [backfillCommand, jobsCommand, pauseCommand, resumeCommand, runCommand, skipCommand, triggerCommand];

function ask(...args: string[]) {
  return plainly(...args, '--table', TABLE, '--prefix', 'billing');
}

function plainly(...args: string[]) {
  return inProcess(COMMANDS, args, {
    AWS_ENDPOINT_URL_DYNAMODB: server.url,
    AWS_ENDPOINT_URL_LAMBDA: services.url,
    AWS_ENDPOINT_URL_SCHEDULER: services.url,
    AWS_MAX_ATTEMPTS: '1',
  });
}

async function done(...args: string[]) {
  const { code, stdout, stderr } = await ask(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

async function refused(code: number, ...args: string[]) {
  const answer = await ask(...args, '--json');
  expect([answer.code, answer.stdout]).toEqual([code, '']);
  return answer.stderr;
}

describe('belfry trigger', () => {
  test('starts a run of its own, and writes down who asked', async () => {
    const { scheduledTime, ...rest } = await done('trigger', 'sync', '--by', 'ann', '--note', 'after the import');
    expect(rest).toMatchObject({ job: 'sync', trigger: 'manual', by: 'ann', note: 'after the import' });
    expect(services.invoked).toEqual([
      {
        functionName: arn('billing_sync'),
        event: { job: 'sync', scheduledTime, trigger: 'manual', revision: 'r1' },
      },
    ]);
    expect(await done('run', 'sync', scheduledTime)).toMatchObject({
      status: 'pending',
      trigger: 'manual',
      requestedBy: 'ann',
      requestNote: 'after the import',
      requestedAt: rest.at,
    });
  });

  test('what it wrote down can be claimed, and is still known when the run has ended', async () => {
    const { scheduledTime } = await done('trigger', 'sync', '--by', 'ann');
    const now = Date.now();
    const claim = { claimToken: 'x', now, leaseExpiresAt: now + HOUR, deadBefore: now - HOUR, maxAttempts: 3 };
    const key = { job: 'sync', scheduledTime: Date.parse(scheduledTime) };
    const answer = await store.claim({ ...key, ...claim, trigger: 'manual', revision: 'r1' });
    if (answer.outcome !== 'claimed') throw new Error(`not claimed: ${answer.outcome}`);
    await store.end(answer.claim, { status: 'succeeded' }, now);
    expect(await store.getRun(key)).toMatchObject({ status: 'succeeded', attempts: 1, requestedBy: 'ann' });
  });

  test('two at once are two runs', async () => {
    const [first, second] = [await done('trigger', 'sync'), await done('trigger', 'sync')];
    expect(first.scheduledTime).not.toBe(second.scheduledTime);
    expect(first.by).toBe(userInfo().username);
  });

  test('an event that cannot be delivered leaves no record behind', async () => {
    services.invokeStatus = 403;
    expect(await refused(1, 'backfill', 'sync', '--from', iso(-30), '--to', iso(-30))).toMatch(
      /AWS could not be asked/,
    );
    expect(await store.getRun({ job: 'sync', scheduledTime: at(-30) })).toBeUndefined();
  });

  test('a function of another name is found by the job’s schedule, and may be named', async () => {
    await done('trigger', 'adopted');
    expect(await refused(1, 'trigger', 'bare')).toContain("which function runs 'bare' cannot be told");
    await done('trigger', 'bare', '--function', 'by-hand');
    expect(services.invoked.map(({ functionName }) => functionName)).toEqual([arn('made-elsewhere'), 'by-hand']);
  });

  test('an unknown job is wrong input, and the known ones are listed', async () => {
    for (const command of [['trigger'], ['pause', '--note', 'x'], ['resume']]) {
      const [name = '', ...flags] = command;
      expect(await refused(2, name, 'nope', ...flags)).toContain(
        "there is no job 'nope' in dev: known are sync, loose, adopted, bare",
      );
    }
  });
});

describe('belfry pause and resume', () => {
  test('a pause is kept with who, why and when; resuming says what has ended', async () => {
    const paused = await done('pause', 'sync', '--note', ' restoring a backup ', '--by', 'ann');
    expect(paused).toMatchObject({ job: 'sync', paused: true, by: 'ann', note: 'restoring a backup' });
    const { jobs } = await done('jobs', '--paused');
    expect(jobs).toMatchObject([{ name: 'sync', pause: { by: 'ann', note: 'restoring a backup', at: paused.at } }]);
    expect(await refused(1, 'pause', 'sync', '--note', 'again')).toContain('paused already by ann: restoring a backup');

    const resumed = await done('resume', 'sync', '--by', 'bob', '--note', 'restored');
    expect(resumed).toMatchObject({
      paused: false,
      pause: { by: 'ann', note: 'restoring a backup', at: paused.at },
      by: 'bob',
      note: 'restored',
    });
    expect((await done('jobs', '--paused')).jobs).toEqual([]);
    const Key = { pk: { S: 'J#sync' }, sk: { S: '$' } };
    const { Item } = await client.send(new GetItemCommand({ TableName: TABLE, Key }));
    expect(Item).toMatchObject({ resumedBy: { S: 'bob' }, resumeNote: { S: 'restored' } });
    expect(Item).not.toHaveProperty('pausedAt');
    expect(await refused(1, 'resume', 'sync')).toContain("'sync' is not paused");
  });

  test('without a note, or with an empty one, nothing is paused', async () => {
    expect(await refused(2, 'pause', 'sync')).toContain("pausing 'sync' needs a note");
    expect(await refused(2, 'pause', 'sync', '--note', '  ')).toContain("pausing 'sync' needs a note");
    expect((await store.getTurn('sync')).paused).toBeUndefined();
  });

  test('a job whose runs do not look at the pause is not said to be paused', async () => {
    expect(await refused(1, 'pause', 'loose', '--note', 'x')).toMatch(/overlap is 'allow'.*enabled: false/);
    expect((await store.getTurn('loose')).paused).toBeUndefined();
  });
});

describe('belfry skip', () => {
  test('an occurrence to come is recorded as skipped, and kept until long after it', async () => {
    const answer = await done('skip', 'sync', iso(24 * 200), '--by', 'ann', '--note', 'holiday');
    expect(answer).toMatchObject({ job: 'sync', scheduledTime: iso(24 * 200), status: 'skipped' });
    const run = await done('run', 'sync', iso(24 * 200));
    expect(run).toMatchObject({
      status: 'skipped',
      cause: 'requested by ann',
      requestedBy: 'ann',
      requestNote: 'holiday',
    });
    const Key = { pk: { S: 'J#sync' }, sk: { S: `R#${iso(24 * 200)}` } };
    const { Item } = await client.send(new GetItemCommand({ TableName: TABLE, Key }));
    expect(Number(Item?.expiresAt?.N) * 1_000).toBeGreaterThan(at(24 * 280));
    // What is to come is not what happened last.
    const { jobs } = await done('jobs');
    const sync = (jobs as { name: string; lastRun: { status: string } | null }[]).find(({ name }) => name === 'sync');
    expect(sync?.lastRun?.status).not.toBe('skipped');
    expect(await refused(1, 'skip', 'sync', iso(24 * 200))).toContain('is skipped: only what has not begun');
  });

  test('what has begun is not skipped', async () => {
    const now = Date.now();
    const claim = { claimToken: 'y', now, leaseExpiresAt: now + HOUR, deadBefore: now - HOUR, maxAttempts: 3 };
    await store.claim({ job: 'sync', scheduledTime: at(-1), ...claim, trigger: 'schedule', revision: 'r1' });
    expect(await refused(1, 'skip', 'sync', iso(-1))).toContain(`sync ${iso(-1)} is running`);
  });

  test('an instant that is no occurrence is wrong input, and the nearest are named', async () => {
    expect(await refused(2, 'skip', 'sync', formatInstant(at(3) + 60_000))).toContain(
      `is no occurrence of 'sync' (0 * * * *, UTC): the nearest are ${iso(3)} and ${iso(4)}`,
    );
    expect((await ask('skip', 'sync', 'tomorrow')).code).toBe(2);
  });
});

describe('belfry backfill', () => {
  test('asks for what has no outcome, the oldest first, both ends included', async () => {
    await store.recordMissed({ job: 'sync', scheduledTime: at(-9) }, 'unknown', NOW);
    const answer = await done('backfill', 'sync', '--from', iso(-10), '--to', iso(-7), '--by', 'ann');
    expect(answer).toMatchObject({ asked: [iso(-10), iso(-8), iso(-7)], done: { missed: 1 }, by: 'ann' });
    expect(services.invoked.map(({ event }) => [event.scheduledTime, event.trigger])).toEqual([
      [iso(-10), 'backfill'],
      [iso(-8), 'backfill'],
      [iso(-7), 'backfill'],
    ]);
    expect(await done('run', 'sync', iso(-8))).toMatchObject({ trigger: 'backfill', requestedBy: 'ann' });
    expect((await done('run', 'sync', iso(-9))).status).toBe('missed');
  });

  test('a range that is too large, empty, or not over yet is wrong input', async () => {
    const range = (from: number, to: number) => ['backfill', 'sync', '--from', iso(from), '--to', iso(to)];
    expect(await refused(2, ...range(-24 * 30, -1))).toMatch(
      /more than 100 occurrences .* in parts, the first one up to/,
    );
    expect(await refused(2, ...range(-6, -2), '--limit', '4')).toContain('more than 4 occurrences');
    expect(await refused(2, ...range(-2, -6))).toContain('nothing lies between');
    expect(await refused(2, ...range(-2, 5))).toContain('is to come');
    expect((await ask(...range(-6, -2), '--limit', '1001')).code).toBe(2);
    expect(services.invoked).toEqual([]);
  });

  test('a range in which the job was not due is a negative answer', async () => {
    const instant = formatInstant(at(-2) + 60_000);
    const { code, stdout } = await ask('backfill', 'sync', '--from', instant, '--to', instant);
    expect([code, services.invoked]).toEqual([1, []]);
    expect(stdout).toContain('was not due between');
  });
});

test('the command line knows them', async () => {
  const { code, stdout } = await belfry(['--help']);
  expect(code).toBe(0);
  for (const name of ['trigger', 'pause', 'resume', 'skip', 'backfill']) expect(stdout).toContain(`  ${name} `);
  const variables = { AWS_ENDPOINT_URL_DYNAMODB: server.url };
  const text = await belfry(['pause', 'sync', '--table', TABLE, '--note', 'by hand', '--by', 'ann'], { variables });
  expect([text.code, text.stdout, text.stderr]).toEqual([0, 'sync is paused\n', '']);
});

describe('which scheduler is meant', () => {
  test('follows from the environment, by the watchdog that says it is of it', async () => {
    const { code, stdout, stderr } = await plainly('trigger', 'sync', '--environment', 'dev', '--json');
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ job: 'sync', trigger: 'manual' });
    expect(services.invoked.map(({ functionName }) => functionName)).toEqual([arn('billing_sync')]);
  });

  test('is asked for where several apps have an environment of that name', async () => {
    const { code, stderr } = await plainly('jobs', '--environment', 'prod');
    expect([code, stderr]).toEqual([
      2,
      "several schedulers here are of environment 'prod', with the prefixes billing-prod, shop-prod: say which you mean, e.g. --prefix billing-prod\n",
    ]);
  });

  test('a prefix that no scheduler can have is wrong usage', async () => {
    for (const prefix of ['', 'a b', 'x'.repeat(33)]) {
      const { code, stdout, stderr } = await plainly('jobs', '--prefix', prefix);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`prefix '${prefix}' is not allowed: use 1 to 32 letters, digits and hyphens`);
    }
  });

  test('follows from its prefix, and the environment with it', async () => {
    const { code, stderr } = await plainly('trigger', 'nope', '--prefix', 'billing');
    expect([code, stderr]).toEqual([2, expect.stringContaining("there is no job 'nope' in dev")]);
    expect(await plainly('jobs', '--prefix', 'somebody')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no scheduler with prefix 'somebody' is deployed here"),
    });
  });

  test('and an environment that is not there is wrong input, with those that are', async () => {
    const { code, stderr } = await plainly('jobs', '--environment', 'staging');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/'staging' is not deployed here: .* of dev, prod;/)]);
  });
});
