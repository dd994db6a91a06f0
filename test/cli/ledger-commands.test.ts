import { DeleteItemCommand, type DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { DynamoDbWatchStore } from '../../lib/adapters/dynamodb-watch-store/dynamodb-watch-store.ts';
import { jobsCommand } from '../../lib/cli/jobs.ts';
import { runCommand } from '../../lib/cli/run.ts';
import { runsCommand } from '../../lib/cli/runs.ts';
import { verifyCommand } from '../../lib/cli/verify.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import { belfry } from '../support/belfry-cli.ts';
import { type DynamoDbServer, startDynamoDb } from '../support/dynamodb-server.ts';
import { inProcess } from '../support/in-process-cli.ts';
import { jobDefinition } from '../support/job-definition.ts';

const MINUTE = 60_000;
const TABLE = 'run-table';
const NOW = Math.floor(Date.now() / MINUTE) * MINUTE;
const BEGAN = NOW - 120 * MINUTE;
const at = (minutes: number) => BEGAN + minutes * MINUTE;

let server: DynamoDbServer;
let client: DynamoDBClient;

/** Two hours of a job that is due each minute: skipped but for a few, which is as good a row as any. */
beforeAll(async () => {
  server = await startDynamoDb();
  await server.createTable(TABLE);
  client = server.client();
  const watchStore = new DynamoDbWatchStore(client, TABLE);
  const store = new DynamoDbRunStore(client, TABLE);
  await watchStore.saveRoster('a', [
    jobDefinition(),
    jobDefinition({ name: 'report', schedule: '@yearly', timeZone: 'Europe/Berlin' }),
  ]);
  const epochs = [{ roster: 'a', from: BEGAN, before: BEGAN }];
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
  for (let minute = 1; minute <= 120; minute++) {
    const key = { job: 'sync', scheduledTime: at(minute) };
    if (minute === 50) await store.recordMissed(key, 'scheduleDisabled', at(52));
    else await store.skip(key, { cause: 'overlap', trigger: 'schedule', evenIfQueued: false }, at(minute));
  }
  const asked = { job: 'sync', scheduledTime: at(60) + 7_000 };
  const claim = { claimToken: 'x', now: at(60) + 8_000, leaseExpiresAt: at(65), deadBefore: at(60), maxAttempts: 3 };
  const answer = await store.claim({ ...asked, ...claim, trigger: 'manual', revision: 'r1' });
  if (answer.outcome !== 'claimed') throw new Error('the fixture could not claim');
  await store.end(answer.claim, { status: 'failed', error: 'no such customer' }, at(61));
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const COMMANDS = [jobsCommand, runCommand, runsCommand, verifyCommand];

function ask(...args: string[]) {
  return inProcess(COMMANDS, [...args, '--table', TABLE], { AWS_ENDPOINT_URL_DYNAMODB: server.url });
}

const keyOf = (minutes: number, suffix = '') => ({
  pk: { S: 'J#sync' },
  sk: { S: `R#${formatInstant(at(minutes))}${suffix}` },
});

describe('belfry verify', () => {
  test('proves a complete ledger', async () => {
    const { code, stdout } = await ask('verify');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^proved {2}every one of 11\d occurrences of 2 jobs has exactly one row\n/);
    expect(stdout).toContain('1 missed');
  });

  test('names a row that is gone, and a second one for the same instant, and exits with 1', async () => {
    await client.send(new DeleteItemCommand({ TableName: TABLE, Key: keyOf(30) }));
    const doubled = { ...keyOf(40, ' again'), status: { S: 'succeeded' }, trigger: { S: 'schedule' } };
    const beside = {
      pk: { S: 'J#sync' },
      sk: { S: `R#${formatInstant(at(40) + 30_000)}` },
      status: { S: 'succeeded' },
    };
    for (const Item of [doubled, beside]) await client.send(new PutItemCommand({ TableName: TABLE, Item }));
    try {
      const variables = { AWS_ENDPOINT_URL_DYNAMODB: server.url };
      const text = await belfry(['verify', '--table', TABLE], { variables });
      expect(text.code).toBe(1);
      expect(text.stdout).toContain(`hole        sync  ${formatInstant(at(30))}`);
      expect(text.stdout).toContain('not proved  3 findings');
      const { code, stdout } = await ask('verify', '--json');
      expect(code).toBe(1);
      const { proved, findings } = JSON.parse(stdout);
      expect(proved).toBe(false);
      expect(findings.map(({ kind, scheduledTime }: Record<string, string>) => [kind, scheduledTime])).toEqual([
        ['double', null],
        ['hole', formatInstant(at(30))],
        ['double', formatInstant(at(40) + 30_000)],
      ]);
      const within = await ask('verify', '--from', formatInstant(at(45)), '--to', formatInstant(at(100)));
      expect(within.code).toBe(0);
    } finally {
      for (const { pk, sk } of [doubled, beside])
        await client.send(new DeleteItemCommand({ TableName: TABLE, Key: { pk, sk } }));
      const store = new DynamoDbRunStore(client, TABLE);
      await store.skip(
        { job: 'sync', scheduledTime: at(30) },
        { cause: 'overlap', trigger: 'schedule', evenIfQueued: false },
        at(30),
      );
    }
  });

  test('what the watchdog is still to start late is no hole, unless the watchdog is dead', async () => {
    await client.send(new DeleteItemCommand({ TableName: TABLE, Key: keyOf(30) }));
    const watchStore = new DynamoDbWatchStore(client, TABLE);
    const { state: before } = await watchStore.load();
    if (before === undefined) throw new Error('no state');
    const owed = { job: 'sync', scheduledTime: at(30), startBy: at(32), maxAttempts: 3 };
    const alive = { ...before, open: [owed], version: before.version + 1 };
    const dead = { ...alive, sweptAt: NOW - 30 * MINUTE, version: before.version + 2 };
    const after = { ...before, version: before.version + 3 };
    try {
      await watchStore.save(alive);
      const { code, stdout } = await ask('verify', '--json');
      expect([code, JSON.parse(stdout).open]).toEqual([0, 1]);
      await watchStore.save(dead);
      const found = JSON.parse((await ask('verify', '--json')).stdout).findings;
      expect(found).toMatchObject([{ kind: 'hole', scheduledTime: formatInstant(at(30)) }]);
    } finally {
      await watchStore.save(after);
      const store = new DynamoDbRunStore(client, TABLE);
      const skip = { cause: 'overlap', trigger: 'schedule', evenIfQueued: false } as const;
      await store.skip({ job: 'sync', scheduledTime: at(30) }, skip, at(30));
    }
  });

  test('an empty range or an unknown job is wrong input', async () => {
    const empty = await ask('verify', '--from', '1m', '--to', '2h');
    expect([empty.code, empty.stdout]).toEqual([2, '']);
    expect(empty.stderr).toContain('nothing lies between');
    const unknown = await ask('verify', '--job', 'nope');
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("there is no job 'nope' in dev: known are sync, report");
  });
});

describe('belfry jobs', () => {
  test('tells of each job when it is due next and how it went last', async () => {
    const { code, stdout } = await ask('jobs', '--json');
    expect(code).toBe(0);
    const [report, sync] = JSON.parse(stdout).jobs;
    expect(report).toMatchObject({ name: 'report', timeZone: 'Europe/Berlin', paused: false, lastRun: null });
    expect(sync).toMatchObject({ name: 'sync', lastRun: { status: 'skipped', cause: 'overlap' } });
    expect(Date.parse(sync.next)).toBeGreaterThan(NOW);
  });

  test('tells who paused a job, why and until when', async () => {
    const Key = { pk: { S: 'J#report' }, sk: { S: '$' } };
    await client.send(
      new UpdateItemCommand({
        TableName: TABLE,
        Key,
        UpdateExpression: 'SET paused = :yes, pausedBy = :by, pauseNote = :note, pausedUntil = :until',
        ExpressionAttributeValues: {
          ':yes': { BOOL: true },
          ':by': { S: 'ann' },
          ':note': { S: 'migration' },
          ':until': { N: String(NOW + 600 * MINUTE) },
        },
      }),
    );
    const { stdout } = await ask('jobs', '--paused', '--json');
    expect(JSON.parse(stdout).jobs).toMatchObject([{ name: 'report', pause: { by: 'ann', note: 'migration' } }]);
    await client.send(new DeleteItemCommand({ TableName: TABLE, Key }));
  });
});

describe('belfry runs', () => {
  const runsOf = async (...args: string[]) => {
    const { code, stdout } = await ask('runs', 'sync', '--json', ...args);
    expect(code).toBe(0);
    return (JSON.parse(stdout).runs as Record<string, unknown>[]).map(({ scheduledTime, status }) => [
      scheduledTime,
      status,
    ]);
  };

  test('newest first, as many as asked for', async () => {
    expect(await runsOf('--limit', '2')).toEqual([
      [formatInstant(at(120)), 'skipped'],
      [formatInstant(at(119)), 'skipped'],
    ]);
  });

  test('by status and by time', async () => {
    expect(await runsOf('--status', 'missed', 'failed')).toEqual([
      [formatInstant(at(60) + 7_000), 'failed'],
      [formatInstant(at(50)), 'missed'],
    ]);
    expect(await runsOf('--from', formatInstant(at(49)), '--to', formatInstant(at(51)))).toHaveLength(3);
    expect(await runsOf('--from', formatInstant(at(70)), '--status', 'missed')).toEqual([]);
  });

  test('a status that there is not is wrong usage', async () => {
    const { code, stderr } = await ask('runs', 'sync', '--status', 'lost');
    expect(code).toBe(2);
    expect(stderr).toContain('running, pending, succeeded, failed, timedOut, skipped, missed');
  });
});

describe('belfry run', () => {
  test('one run in full', async () => {
    const { code, stdout } = await ask('run', 'sync', formatInstant(at(60) + 7_000), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      job: 'sync',
      status: 'failed',
      error: 'no such customer',
      trigger: 'manual',
      attempts: 1,
      latenessMs: 1_000,
      durationMs: 52_000,
    });
  });

  test('one that is not there is a negative answer', async () => {
    const { code, stdout, stderr } = await ask('run', 'sync', '2001-01-01T00:00Z');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain("see 'belfry runs sync'");
  });
});

test('without a table to look at it says what to do', async () => {
  const variables = { AWS_ENDPOINT_URL: 'http://127.0.0.1:9' };
  const { code, stderr } = await belfry(['jobs'], { variables });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^AWS could not be asked: .*--local\n$/s);
});
