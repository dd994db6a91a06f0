/** Looks at the dev environment where it was deployed: `node .ci/deployed-job.ts [dead-letters|change <cdk.out>|changed|destroyed]`, and at production: `protected`. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  ListFunctionsCommand,
} from '@aws-sdk/client-lambda';
import { ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import {
  functionName,
  isFunctionOf,
  manifestPartNames,
  scheduleName,
  watchdogFunctionName,
  watchdogScheduleName,
} from '../lib/domain/contract/names.ts';
import { jobPartition, runSortKey } from '../lib/domain/contract/run-table-keys.ts';
import { formatInstant } from '../lib/domain/time/instant.ts';

const JOB = 'invoice-dunning';
const PREFIX = 'belfry-dev-jobs';
const FUNCTION = functionName(PREFIX, JOB);
/** A month from now its function would refuse it. */
const SCHEDULED_TIME = formatInstant(Math.floor(Date.now() / 3_600_000) * 3_600_000);
const lambda = new LambdaClient({});
const dynamodb = new DynamoDBClient({});
const scheduler = new SchedulerClient({});

async function looksDeployed(): Promise<void> {
  const { Schedules = [] } = await scheduler.send(new ListSchedulesCommand({}));
  const names = Schedules.map(({ Name }) => Name).sort();
  const jobs = ['db-cleanup', 'heartbeat', 'invoice-dunning', 'usage-report'].map((job) =>
    scheduleName(PREFIX, job, 0),
  );
  assert.deepEqual(names, [...manifestPartNames(PREFIX, 1), watchdogScheduleName(PREFIX), ...jobs].sort());

  const event = JSON.stringify({ job: JOB, scheduledTime: SCHEDULED_TIME });
  const answer = await lambda.send(new InvokeCommand({ FunctionName: FUNCTION, Payload: Buffer.from(event) }));
  assert.equal(answer.FunctionError, undefined, Buffer.from(answer.Payload ?? []).toString());

  const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName: FUNCTION }));
  const { Item } = await dynamodb.send(
    new GetItemCommand({
      TableName: Environment?.Variables?.BELFRY_TABLE,
      Key: { pk: { S: jobPartition(JOB) }, sk: { S: runSortKey(Date.parse(SCHEDULED_TIME)) } },
      ConsistentRead: true,
    }),
  );
  assert.equal(Item?.status?.S, 'succeeded', JSON.stringify(Item));
  const reminder = await dynamodb.send(
    new GetItemCommand({
      TableName: Environment?.Variables?.APP_TABLE,
      Key: { pk: { S: 'REMINDER' }, sk: { S: 'INV-1001#3' } },
    }),
  );
  assert.ok(reminder.Item, 'the run wrote no reminder');
  console.log(`${JOB} ran once at ${SCHEDULED_TIME}, with attempt ${Item?.attempts?.N}, and wrote its reminders`);
}

/** Puts two events into the queue as Lambda does, one of them of the run that succeeded: they are listed, told of and gone. */
async function looksAfterDeadLetters(): Promise<void> {
  const { Environment } = await lambda.send(
    new GetFunctionConfigurationCommand({ FunctionName: watchdogFunctionName(PREFIX) }),
  );
  const QueueUrl = Environment?.Variables?.BELFRY_DEAD_LETTERS;
  const attribute = (StringValue: string) => ({ DataType: 'String', StringValue });
  const sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
  const missing = formatInstant(Date.parse(SCHEDULED_TIME) - 3_600_000);
  for (const scheduledTime of [SCHEDULED_TIME, missing]) {
    await sqs.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody: JSON.stringify({ job: JOB, scheduledTime }),
        MessageAttributes: { RequestID: attribute('x'), ErrorCode: attribute('200'), ErrorMessage: attribute('boom') },
      }),
    );
  }
  const belfry = (...args: readonly string[]) => {
    const all = ['bin/belfry.ts', 'dead-letters', ...args, '--environment', 'dev', '--json'];
    const { stdout, stderr } = spawnSync(process.execPath, all, { encoding: 'utf8' });
    assert.equal(stderr, '');
    return JSON.parse(stdout) as { deadLetters: { why: string }[]; outcomes: { became: string; why?: string }[] };
  };
  const { deadLetters } = belfry();
  assert.deepEqual(
    deadLetters.map(({ why }) => why),
    Array.from({ length: 2 }, () => 'the function failed at its last attempt: boom'),
  );
  const { outcomes } = belfry('deliver', '--all');
  assert.equal(
    outcomes.filter(({ became, why }) => became === 'discarded' && why === 'it is succeeded already').length,
    1,
  );
  belfry('discard', '--all', '--yes');
  assert.deepEqual(belfry().deadLetters, []);
}

/** Gives the functions more memory, in the template that is deployed next. Assets are found by their hash: a new one. */
function change(assembly: string): void {
  const folder = join(assembly, 'assembly-dev');
  const template = readdirSync(folder).find((name) => /^devjobs.*\.template\.json$/.test(name)) ?? '';
  const before = readFileSync(join(folder, template), 'utf8');
  const after = before.replaceAll(/"MemorySize": ?256/g, '"MemorySize": 512');
  assert.notEqual(before, after);
  writeFileSync(join(folder, template), after);

  const assets = join(folder, template.replace('.template.', '.assets.'));
  const { files } = JSON.parse(readFileSync(assets, 'utf8')) as {
    files: Record<string, { source: { path?: string } }>;
  };
  const [hash = ''] = Object.entries(files).find(([, { source }]) => source.path === template) ?? [];
  const changed = createHash('sha256').update(after).digest('hex');
  for (const file of [assets, join(folder, 'manifest.json')]) {
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(hash, changed));
  }
}

async function hasChanged(): Promise<void> {
  const { MemorySize } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName: FUNCTION }));
  assert.equal(MemorySize, 512);
}

async function isDestroyed(): Promise<void> {
  const { Functions = [] } = await lambda.send(new ListFunctionsCommand({}));
  const { TableNames = [] } = await dynamodb.send(new ListTablesCommand({}));
  assert.deepEqual(
    Functions.map(({ FunctionName }) => FunctionName).filter((name) => name?.startsWith('belfry-')),
    [],
  );
  assert.deepEqual(
    TableNames.filter((name) => name.includes('belfry-')),
    [],
  );
}

/** Production after somebody tried to destroy it. The emulator knows no deletion protection of tables, only of stacks. */
async function isProtected(): Promise<void> {
  const { Functions = [] } = await lambda.send(new ListFunctionsCommand({}));
  const { TableNames = [] } = await dynamodb.send(new ListTablesCommand({}));
  assert.equal(Functions.filter(({ FunctionName }) => isFunctionOf('belfry-prod-jobs', FunctionName ?? '')).length, 4);
  assert.equal(TableNames.filter((name) => name.includes('belfry-prod')).length, 2, TableNames.join(', '));
}

const [step, assembly = ''] = process.argv.slice(2);
if (step === 'change') change(assembly);
else if (step === 'changed') await hasChanged();
else if (step === 'dead-letters') await looksAfterDeadLetters();
else if (step === 'destroyed') await isDestroyed();
else if (step === 'protected') await isProtected();
else await looksDeployed();
