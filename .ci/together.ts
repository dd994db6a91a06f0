/**
 * Looks at environments that are deployed beside each other: `node .ci/together.ts <step> <folder> [<cdk.out>...]`.
 * `before` and `nothing-left` compare what there is with what there was; `names <cdk.out>...` looks for one identity under
 * two logical ids in all stacks together, as CloudFormation has it and no emulator; `deployed <step>` and `untouched` look at the
 * environments.
 */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, ListEventBusesCommand } from '@aws-sdk/client-eventbridge';
import {
  type FunctionConfiguration,
  InvokeCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  paginateListFunctions,
} from '@aws-sdk/client-lambda';
import {
  GetScheduleCommand,
  ListScheduleGroupsCommand,
  paginateListSchedules,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { ListTopicsCommand, SNSClient } from '@aws-sdk/client-sns';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { eventBusName, functionName, scheduleGroup } from '../lib/domain/contract/names.ts';
import { jobPartition, runSortKey } from '../lib/domain/contract/run-table-keys.ts';
import { reviewUpdate } from '../lib/domain/update/review-update.ts';
import type { StackTemplate } from '../lib/domain/update/stack-template.ts';

const SCHEDULED_TIME = '2026-10-30T12:00:00Z';
const SCHEDULERS = ['one-first-jobs', 'one-second-jobs', 'other-first-jobs'];

const lambda = new LambdaClient({});
const scheduler = new SchedulerClient({});
const dynamodb = new DynamoDBClient({});
const events = new EventBridgeClient({});

async function functions(): Promise<readonly FunctionConfiguration[]> {
  const all: FunctionConfiguration[] = [];
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {})) all.push(...Functions);
  return all;
}

/** Group and name of each. */
async function schedules(): Promise<readonly (readonly [string, string])[]> {
  const all: (readonly [string, string])[] = [];
  for await (const { Schedules = [] } of paginateListSchedules({ client: scheduler }, {})) {
    all.push(...Schedules.map(({ GroupName = '', Name = '' }) => [GroupName, Name] as const));
  }
  return all;
}

/** Names in an answer of a service that the project has no client for. */
async function asked(service: string, request: RequestInit, names: RegExp): Promise<readonly string[]> {
  const headers = {
    authorization: `AWS4-HMAC-SHA256 Credential=test/20261201/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=0`,
    ...request.headers,
  };
  const answer = await fetch(process.env.AWS_ENDPOINT_URL ?? '', { method: 'POST', ...request, headers });
  const text = await answer.text();
  assert.equal(answer.status, 200, `${service}: ${text}`);
  return [...text.matchAll(names)].map(([, name = '']) => name);
}

function query(service: string, action: string, version: string, names: RegExp): Promise<readonly string[]> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return asked(service, { headers, body: `Action=${action}&Version=${version}` }, names);
}

function json(service: string, target: string, body: object, names: RegExp): Promise<readonly string[]> {
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target };
  return asked(service, { headers, body: JSON.stringify(body) }, names);
}

async function keys(): Promise<readonly string[]> {
  const ids = await json('kms', 'TrentService.ListKeys', {}, /"KeyId": ?"([^"]+)"/g);
  const states = ids.map(async (KeyId) => {
    const [state = ''] = await json('kms', 'TrentService.DescribeKey', { KeyId }, /"KeyState": ?"([^"]+)"/g);
    // A key is never gone at once.
    return state === 'PendingDeletion' ? [] : [KeyId];
  });
  return (await Promise.all(states)).flat();
}

/** All that there is, by kind. */
async function inventory(): Promise<Record<string, readonly string[]>> {
  const { ScheduleGroups = [] } = await scheduler.send(new ListScheduleGroupsCommand({}));
  const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({}));
  const kinds = {
    functions: (await functions()).map(({ FunctionName = '' }) => FunctionName),
    'event source mappings': EventSourceMappings.map(({ UUID = '' }) => UUID),
    schedules: (await schedules()).map((parts) => parts.join('/')),
    'schedule groups': ScheduleGroups.map(({ Name = '' }) => Name),
    tables: (await dynamodb.send(new ListTablesCommand({}))).TableNames ?? [],
    queues: (await new SQSClient({}).send(new ListQueuesCommand({}))).QueueUrls ?? [],
    topics: ((await new SNSClient({}).send(new ListTopicsCommand({}))).Topics ?? []).map(
      ({ TopicArn = '' }) => TopicArn,
    ),
    'event buses': ((await events.send(new ListEventBusesCommand({}))).EventBuses ?? []).map(({ Name = '' }) => Name),
    'log groups': await json('logs', 'Logs_20140328.DescribeLogGroups', {}, /"logGroupName": ?"([^"]+)"/g),
    alarms: await query('monitoring', 'DescribeAlarms', '2010-08-01', /<AlarmName>([^<]+)/g),
    dashboards: await query('monitoring', 'ListDashboards', '2010-08-01', /<DashboardName>([^<]+)/g),
    roles: await query('iam', 'ListRoles', '2010-05-08', /<RoleName>([^<]+)/g),
    keys: await keys(),
  };
  return Object.fromEntries(Object.entries(kinds).map(([kind, names]) => [kind, [...names].sort()]));
}

/** Functions and schedules of an environment in full, but for when they were looked at. */
async function portrait(prefix: string): Promise<string> {
  const own = (await functions()).filter(({ FunctionName = '' }) => FunctionName.startsWith(prefix));
  const seen = own.map(({ FunctionName, CodeSha256, Environment, LastModified, MemorySize, Role }) => {
    return { FunctionName, CodeSha256, Environment, LastModified, MemorySize, Role };
  });
  const fired = (await schedules()).filter(
    ([group]) => group === scheduleGroup(prefix) || group.startsWith(`${prefix}.`),
  );
  assert(seen.length > 0 && fired.length > 0);
  const described = fired.map(async ([GroupName, Name]) => {
    const found = await scheduler.send(new GetScheduleCommand({ GroupName, Name }));
    return { ...found, $metadata: undefined };
  });
  return JSON.stringify([seen, await Promise.all(described)]);
}

/** Has a job run, and finds its record in its own table. */
async function runs(prefix: string, job: string): Promise<void> {
  const FunctionName = functionName(prefix, job);
  const event = JSON.stringify({ job, scheduledTime: SCHEDULED_TIME, trigger: 'manual' });
  const answer = await lambda.send(new InvokeCommand({ FunctionName, Payload: Buffer.from(event) }));
  assert.equal(answer.FunctionError, undefined, Buffer.from(answer.Payload ?? []).toString());
  const { Environment } = (await functions()).find((one) => one.FunctionName === FunctionName) ?? {};
  const Key = { pk: { S: jobPartition(job) }, sk: { S: runSortKey(Date.parse(SCHEDULED_TIME)) } };
  const TableName = Environment?.Variables?.BELFRY_TABLE;
  const { Item } = await dynamodb.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  assert.equal(Item?.status?.S, 'succeeded', JSON.stringify(Item));
  assert.match(Item?.result?.S ?? '', new RegExp(prefix.split('-')[1] ?? ''));
}

function stacksIn(assembly: string): readonly StackTemplate[] {
  const folders = readdirSync(assembly).filter((entry) => entry.startsWith('assembly-'));
  return folders.flatMap((folder) => {
    const { artifacts } = JSON.parse(readFileSync(join(assembly, folder, 'manifest.json'), 'utf8')) as {
      artifacts: Record<string, { type: string; properties?: { stackName?: string; templateFile?: string } }>;
    };
    return Object.values(artifacts).flatMap(({ type, properties: { stackName = '', templateFile = '' } = {} }) =>
      type === 'aws:cloudformation:stack'
        ? [{ name: stackName, template: JSON.parse(readFileSync(join(assembly, folder, templateFile), 'utf8')) }]
        : [],
    );
  });
}

async function hasJobs(prefix: string, jobs: readonly string[], hasEvents: boolean): Promise<void> {
  const found = (await schedules()).filter(([group]) => group === scheduleGroup(prefix)).map(([, name]) => name);
  assert.deepEqual(
    found.filter((name) => name.startsWith(`${prefix}_`)).sort(),
    jobs.map((job) => `${prefix}_${job}`).sort(),
  );
  const ran = (await functions()).flatMap(({ FunctionName = '' }) =>
    FunctionName.startsWith(`${prefix}_`) ? [FunctionName] : [],
  );
  const needed = new Set(jobs.map((job) => functionName(prefix, job.startsWith('fleet-') ? 'fleet' : job)));
  assert.deepEqual(ran.sort(), [...needed].sort());
  const { EventBuses = [] } = await events.send(new ListEventBusesCommand({}));
  assert.equal(
    EventBuses.some(({ Name }) => Name === eventBusName(prefix)),
    hasEvents,
    `event bus of ${prefix}`,
  );
}

const [step = '', folder = '', ...rest] = process.argv.slice(2);
const kept = (name: string) => join(folder, name);
const inventoryBefore = () =>
  JSON.parse(readFileSync(kept('inventory.json'), 'utf8')) as Record<string, readonly string[]>;
const BEGIN = ['ping', 'fleet-one', 'former', 'gone'];
const LATER = ['ping', 'fleet-one', 'fleet-two', 'renamed', 'added'];

if (step === 'before') {
  writeFileSync(kept('inventory.json'), JSON.stringify(await inventory()));
} else if (step === 'names') {
  const stacks = rest.flatMap(stacksIn);
  assert.ok(stacks.length >= 9, `${stacks.length} stacks`);
  assert.deepEqual(reviewUpdate([], stacks), []);
} else if (step === 'deployed') {
  const [now] = rest;
  await hasJobs('one-first-jobs', now === 'begin' ? BEGIN : LATER, now !== 'without-events');
  for (const prefix of SCHEDULERS.slice(1)) await hasJobs(prefix, BEGIN, true);
  if (now === 'begin') {
    // A list that shows nothing now would show nothing left behind, either.
    const were = inventoryBefore();
    for (const [kind, names] of Object.entries(await inventory()))
      assert.ok(names.length > (were[kind] ?? []).length, kind);
    for (const prefix of SCHEDULERS) await runs(prefix, 'ping');
    writeFileSync(kept('others.json'), JSON.stringify(await Promise.all(SCHEDULERS.slice(1).map(portrait))));
  } else {
    if (now === 'without-events') await runs('one-first-jobs', 'added');
    assert.equal(
      JSON.stringify(await Promise.all(SCHEDULERS.slice(1).map(portrait))),
      readFileSync(kept('others.json'), 'utf8'),
    );
  }
} else {
  const was = inventoryBefore();
  assert.deepEqual(await inventory(), was);
  console.log(`nothing is left of ${Object.keys(was).join(', ')}`);
}
