import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import type { JobDefinition } from '../../lib/domain/job.ts';
import { readCloudAssembly } from '../../lib/local/assembly/cloud-assembly.ts';
import { Intrinsics } from '../../lib/local/assembly/intrinsics.ts';
import { readFunctions } from '../../lib/local/assembly/read-functions.ts';
import { readSchedules } from '../../lib/local/assembly/read-schedules.ts';
import { readTables } from '../../lib/local/assembly/read-tables.ts';
import type { FunctionResource } from '../../lib/local/assembly/resources.ts';
import { EnvironmentStage } from '../../lib/stacks/environment-stage.ts';
import { environments } from '../../lib/stacks/environments.ts';
import { quietApp } from '../constructs/scheduler-app.ts';
import { manifestInput, readManifestInput } from '../support/manifest-input.ts';
import { deployedRoles, rolesOfFunctions } from './iam/deployed-roles.ts';
import { allows, applies, type Call, listed, type Statement } from './iam/policy.ts';
import { Recorder } from './iam/recorder.ts';

const FRIDAY = '2026-10-30';
const outdir = mkdtempSync(join(tmpdir(), 'belfry-iam-'));
const recorder = new Recorder();
const calls = new Map<string, Call[]>();
let intrinsics: Intrinsics;
let roles: Map<string, Statement[]>;
let roleOf: Map<string, string>;

/** What each job's function is asked to do: enough to make all of them together do what the runtime ever does. */
const ROUNDS: Record<string, { at: string; rounds: { after: number; events: object[] }[] }> = {
  heartbeat: {
    at: `${FRIDAY}T09:00:00Z`,
    rounds: [
      { after: 0, events: [due('heartbeat', '09:00:00')] },
      { after: 0, events: [due('heartbeat', '09:00:00')] },
    ],
  },
  'invoice-dunning': {
    at: `${FRIDAY}T12:00:00Z`,
    rounds: [{ after: 0, events: [due('invoice-dunning', '12:00:00'), due('invoice-dunning', '11:59:00')] }],
  },
  'db-cleanup': {
    at: `${FRIDAY}T00:00:00Z`,
    rounds: [{ after: 0, events: [due('db-cleanup', '00:00:00'), due('db-cleanup', '00:01:00')] }],
  },
  'usage-report': {
    at: `${FRIDAY}T02:00:00Z`,
    rounds: [
      { after: 0, events: [due('usage-report', '02:00:00'), due('usage-report', '02:01:00')] },
      // Its source fails at first, and is asked again two minutes later.
      { after: 3, events: [due('usage-report', '02:00:00'), due('usage-report', '02:01:00')] },
    ],
  },
};

/** What AWS itself does in a role's name, so that no recording shows it. */
const DONE_BY_AWS: Record<string, string> = {
  'logs:CreateLogStream': 'Lambda, when an execution environment starts',
  'logs:PutLogEvents': 'Lambda, with what the function prints',
  'kms:Decrypt': 'SNS, with the key of its topics',
  'kms:GenerateDataKey': 'SNS, with the key of its topics',
  'sqs:SendMessage': 'Lambda and EventBridge Scheduler, with what they could not deliver',
};

/** Every resource with a wildcard that a policy may name, and why. */
const WILDCARDS: [RegExp, string][] = [
  [
    /^arn:aws:logs:.*:log-stream:\*\/belfry-dev-jobs_[a-z-]+\[\*$/,
    'names of log streams begin with a date and end with an id',
  ],
  [/^arn:aws:scheduler:[^*]*:schedule\/[^*]+\/\*$/, 'all schedules of the jobs’ group, to look at'],
  [
    /^arn:aws:scheduler:[^*]*:schedule\/[^*]+\/(heartbeat|invoice-dunning|db-cleanup|usage-report)\.\*$/,
    'a job’s one-time schedules, named by instant and attempt; a dot cannot occur in another job’s name',
  ],
  [
    /^arn:aws:iam::\d{12}:role\/belfry\/us-east-1\/belfry-dev-jobs_[a-z-]+\/\*$/,
    'the function’s own role, which its policy cannot refer to: by the path that nothing else has',
  ],
  [
    /^arn:aws:lambda:us-east-1:\d{12}:function:belfry-dev-jobs_\*$/,
    'functions of all jobs, for the watchdog: also of those whose stack is deployed later, by itself',
  ],
  [/^arn:aws:logs:[^*]*:log-group:[^*]+:\*$/, 'all streams of a log group that only this function writes to'],
];

function due(job: string, time: string): object {
  return { job, scheduledTime: `${FRIDAY}T${time}Z` };
}

/** A run that somebody began, attempt after attempt, and never ended. */
async function leaveUnfinished(job: string, time: string, attempts: number): Promise<void> {
  const client = new DynamoDBClient({
    endpoint: recorder.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const table = readTables(intrinsics).find(({ name }) => name.includes('RunTable'))?.name ?? '';
  const store = new DynamoDbRunStore(client, table);
  const scheduledTime = Date.parse(`${FRIDAY}T${time}Z`);
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const now = scheduledTime + attempt * 10_000;
    // The last lease lasts until the watchdog looks, so that whoever comes before it finds the run going.
    const leaseExpiresAt = attempt < attempts ? now + 1 : scheduledTime + 90 * 60_000;
    const answer = await store.claim({
      job,
      scheduledTime,
      claimToken: `${job}-${attempt}`,
      now,
      leaseExpiresAt,
      deadBefore: now,
      maxAttempts: attempts,
      trigger: 'schedule',
      revision: 'r1',
    });
    if (answer.outcome !== 'claimed') throw new Error(`attempt ${attempt} of ${job} is ${answer.outcome}`);
    await store.takeTurn(answer.claim, { seen: await store.getTurn(job) }, now);
  }
  client.destroy();
}

/** The watchdog over three deployments: one takes a job away, one changes what is no matter of when a job is due. */
async function watch(watchdog: FunctionResource): Promise<Call[]> {
  const sweeps = (...minutes: number[]) => minutes.map((after) => ({ after, events: [{ watchdog: true }] }));
  const manifest = readSchedules(intrinsics, []).find(({ name }) => name === 'belfry-dev-jobs.manifest');
  const deployed = readManifestInput(manifest?.input);
  const [, ...others] = deployed.jobs;
  const patient = others.map((job) => ({ ...job, startGraceMs: 2 * job.startGraceMs }));
  const run = (jobs: readonly JobDefinition[], at: string, ...minutes: number[]) => {
    recorder.inputs.set('belfry-dev-jobs.manifest', manifestInput({ ...deployed, jobs }));
    return recorder.run(watchdog, at, sweeps(...minutes));
  };
  return [
    ...(await run(deployed.jobs, `${FRIDAY}T11:50:00Z`, 0, 1, 11, 20, 120, 125)),
    ...(await run(others, `${FRIDAY}T14:00:00Z`, 0, 1, 30, 1500)),
    ...(await run(patient, '2026-11-01T14:00:00Z', 0, 1)),
  ];
}

/** The jobs share a runtime: what one does with its own records and schedules, any may have to do with theirs. */
function callsOf(job: string): Call[] {
  const own = calls.get(job) ?? [];
  if (job === 'watchdog') return own;
  const others = [...calls].filter(([other]) => other !== job && other !== 'watchdog');
  return [...own, ...others.flatMap(([other, made]) => made.flatMap((call) => renamed(call, other, job) ?? []))];
}

/** The call as the other job would make it. Undefined when it is not about a job's own. */
function renamed({ action, resource, context }: Call, from: string, to: string): Call | undefined {
  if (context['dynamodb:LeadingKeys']?.every((key) => key.startsWith('J#'))) {
    return { action, resource, context: { 'dynamodb:LeadingKeys': [`J#${to}`] } };
  }
  if (action === 'scheduler:CreateSchedule') {
    return { action, resource: resource.replace(`/${from}.`, `/${to}.`), context };
  }
  if (action === 'iam:PassRole' && resource === roleArnOf(from)) return { action, resource: roleArnOf(to), context };
  if (action !== 'lambda:InvokeFunction') return undefined;
  return { action, resource: resource.replace(/:belfry-dev-jobs_[a-z-]+$/, `:belfry-dev-jobs_${to}`), context };
}

function roleArnOf(job: string): string {
  const name = job === 'watchdog' ? 'belfry-dev-jobs-watchdog' : `belfry-dev-jobs_${job}`;
  return roleOf.get(name) ?? `no role of ${job}`;
}

function statementsOf(job: string): Statement[] {
  return roles.get(roleArnOf(job)) ?? [];
}

function describeCall({ action, resource, context }: Call): string {
  return `${action} ${resource} ${JSON.stringify(context)}`;
}

beforeAll(async () => {
  const [dev] = environments;
  if (dev === undefined) throw new Error('no environments');
  const app = quietApp(outdir);
  new EnvironmentStage(app, dev);
  app.synth();
  intrinsics = new Intrinsics(readCloudAssembly(outdir, 'dev'));
  roles = deployedRoles(intrinsics);
  roleOf = rolesOfFunctions(intrinsics);
  await recorder.start(readTables(intrinsics));
  const functions = readFunctions(intrinsics, []);
  const deployed = (job: string) => {
    const found = functions.find(({ name }) => name.endsWith(job));
    if (found === undefined) throw new Error(`no function for ${job}`);
    return found;
  };
  for (const [job, { at, rounds }] of Object.entries(ROUNDS)) {
    calls.set(job, await recorder.run(deployed(job), at, rounds));
  }
  await leaveUnfinished('heartbeat', '09:05:00', 1);
  const inTheWay = [due('heartbeat', '09:06:00'), { ...due('heartbeat', '09:06:30'), trigger: 'manual' }];
  const more = await recorder.run(deployed('heartbeat'), `${FRIDAY}T09:07:00Z`, [{ after: 0, events: inTheWay }]);
  calls.set('heartbeat', [...(calls.get('heartbeat') ?? []), ...more]);
  await leaveUnfinished('usage-report', '12:00:00', 3);
  // What the watchdog is to close is gone when it does: it looks what stood in the way.
  recorder.vanishing.add(`R#${FRIDAY}T12:00:00Z`);
  calls.set('watchdog', await watch(deployed('watchdog')));
}, 120_000);

afterAll(async () => {
  await recorder.close();
  rmSync(outdir, { recursive: true, force: true });
});

describe.each([...Object.keys(ROUNDS), 'watchdog'])('%s', (job) => {
  test('may do everything that it does', () => {
    const made = callsOf(job);
    expect(calls.get(job)?.length).toBeGreaterThan(3);
    expect(made.filter((call) => !allows(statementsOf(job), call)).map(describeCall)).toEqual([]);
  });

  test('does everything that it may', () => {
    const made = callsOf(job);
    const unused = statementsOf(job)
      .flatMap((statement) => listed(statement.Action).map((action) => ({ ...statement, Action: action })))
      .filter(({ Action }) => !(Action in DONE_BY_AWS))
      .filter((statement) => !made.some((call) => applies(statement, call)))
      .map(({ Sid, Action }) => `${Sid}: ${Action}`);
    expect(unused).toEqual([]);
  });
});

test.each(['heartbeat', 'invoice-dunning', 'db-cleanup', 'usage-report'])(
  '%s may not touch the records of others',
  (job) => {
    const own = (calls.get(job) ?? []).find(
      ({ action, context }) => action === 'dynamodb:UpdateItem' && context['dynamodb:LeadingKeys']?.[0] === `J#${job}`,
    );
    if (own === undefined) throw new Error('no call on the job’s own records');
    const foreign = { ...own, context: { 'dynamodb:LeadingKeys': ['J#other'] } };
    const both = { ...own, context: { 'dynamodb:LeadingKeys': [`J#${job}`, 'J#other'] } };
    const all = { action: 'dynamodb:Scan', resource: own.resource, context: {} };
    expect([own, foreign, both, all].map((call) => allows(statementsOf(job), call))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  },
);

test('a job may arm schedules of its own name, with its own role, for its own function: no others', () => {
  const find = (action: string) => {
    const found = calls.get('heartbeat')?.find((call) => call.action === action);
    if (found === undefined) throw new Error(`no ${action} was recorded`);
    return found;
  };
  const [create, pass, invoke] = ['scheduler:CreateSchedule', 'iam:PassRole', 'lambda:InvokeFunction'].map(find);
  if (create === undefined || pass === undefined || invoke === undefined) throw new Error('unreachable');
  expect(create.resource).toMatch(/\/heartbeat\.[0-9a-z]+-w[0-9a-z]+$/);
  expect([pass.resource, invoke.resource]).toEqual([
    roleArnOf('heartbeat'),
    'arn:aws:lambda:us-east-1:000000000000:function:belfry-dev-jobs_heartbeat',
  ]);
  const schedulerRole = [...roles.keys()].find((arn) => arn.includes('SchedulerRole'));
  const named = (name: string) => ({ ...create, resource: create.resource.replace(/[^/]+$/, name) });
  const refused = [
    named('heartbeat'),
    named('heartbeat-two'),
    named('heartbeat-two.t0-r1'),
    named('usage-report.t0-r1'),
    { ...create, resource: create.resource.replace(/schedule\/[^/]+/, 'schedule/default') },
    { ...create, action: 'scheduler:UpdateSchedule' },
    { ...create, action: 'scheduler:DeleteSchedule' },
    { ...pass, resource: schedulerRole ?? 'no role for the schedules' },
    { ...pass, resource: roleArnOf('usage-report') },
    { ...pass, resource: roleArnOf('watchdog') },
    { ...pass, context: { 'iam:PassedToService': ['lambda.amazonaws.com'] } },
    { ...pass, action: 'sts:AssumeRole' },
    { ...invoke, resource: invoke.resource.replace('heartbeat', 'usage-report') },
  ];
  expect([create, pass, invoke].filter((call) => !allows(statementsOf('heartbeat'), call))).toEqual([]);
  expect(refused.filter((call) => allows(statementsOf('heartbeat'), call)).map(describeCall)).toEqual([]);
  expect(schedulerRole).toBeDefined();
});

test('EventBridge may invoke what the schedules name, with the role that they name', () => {
  const all = [...intrinsics.resources('AWS::Scheduler::Schedule')];
  const schedules = all.filter(({ resource }) => resource.Properties?.State !== 'DISABLED');
  expect([schedules.length, all.length]).toEqual([5, 6]);
  for (const { stack, resource } of schedules) {
    const target = intrinsics.property(resource, 'Target', stack) as { Arn: string; RoleArn: string };
    const call = { action: 'lambda:InvokeFunction', resource: target.Arn, context: {} };
    expect(allows(roles.get(target.RoleArn) ?? [], call), target.Arn).toBe(true);
  }
});

test('no action has a wildcard, and each resource that has one is listed with its reason', () => {
  const statements = [...roles.values()].flat();
  expect(statements.flatMap(({ Action }) => listed(Action)).filter((action) => action.includes('*'))).toEqual([]);
  const wild = statements.flatMap(({ Resource }) => listed(Resource)).filter((resource) => resource.includes('*'));
  expect(wild.filter((resource) => !WILDCARDS.some(([pattern]) => pattern.test(resource)))).toEqual([]);
  for (const [pattern, reason] of WILDCARDS) {
    expect(
      wild.some((resource) => pattern.test(resource)),
      `nothing needs this any more: ${reason}`,
    ).toBe(true);
  }
});
