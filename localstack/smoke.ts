/**
 * Shows that the deployed app works on an emulator: jobs fire there, each occurrence has one run, and its record can be
 * read. Fires the schedules itself while it looks, beside whatever else fires them. Takes up to two minutes; in the hours
 * in which the source of a sample job fails on purpose, up to ten.
 *
 * argv: the environment, by default `dev`.
 */

import { DynamoDBClient, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { hourBefore } from '../lambdas/jobs/usage-report/usage-report.ts';
import { failuresFor } from '../lambdas/jobs/usage-report/usage-source.ts';
import { functionName, scheduleName } from '../lib/domain/contract/names.ts';
import { instantOfRun, jobPartition, RUN_SORT_KEYS, runSortKey } from '../lib/domain/contract/run-table-keys.ts';
import { formatInstant } from '../lib/domain/time/instant.ts';
import { VirtualClock } from '../lib/local/clock/virtual-clock.ts';
import type { DriveEvent } from '../lib/local/drive/drive-event.ts';
import { EndpointSchedules } from '../lib/local/drive/endpoint-schedules.ts';
import { ScheduleDrive } from '../lib/local/drive/schedule-drive.ts';
import { emulatorSettings, untilReady } from './emulator.ts';

const MINUTE_MS = 60_000;
/** Has no daylight saving and no whole-hour offset, so that nobody fires it right by accident. */
const ZONE = 'Asia/Kolkata';

type Item = { readonly [attribute: string]: { readonly S?: string; readonly N?: string } };

const [environment = 'dev'] = process.argv.slice(2);
const settings = emulatorSettings();
const scheduler = new SchedulerClient(settings);
const lambda = new LambdaClient(settings);
const dynamodb = new DynamoDBClient(settings);
const results: boolean[] = [];
/** The prefix is the name of the stack that declares the jobs. */
const PREFIX = `belfry-${environment}-jobs`;
const HEARTBEAT = functionName(PREFIX, 'heartbeat');

await untilReady(settings.endpoint);
const heartbeat = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName: HEARTBEAT }));
const table = heartbeat.Environment?.Variables?.BELFRY_TABLE ?? '';

const declared = await new EndpointSchedules(scheduler).list();
const dunning = declared.find(({ name }) => name === scheduleName(PREFIX, 'invoice-dunning', 0));
check(
  'the schedules keep the zones that the app declares',
  dunning?.timeZone === 'America/New_York',
  dunning?.timeZone,
);

const oneTime = await createOneTime();
const fired = new Map<string, DriveEvent>();
const drive = new ScheduleDrive({
  endpoint: settings.endpoint,
  scheduler,
  lambda,
  clock: new VirtualClock(),
  emit: (event) => {
    if (event.type === 'fired') fired.set(`${event.schedule.split('/')[1]} ${event.scheduledTime}`, event);
  },
});
await drive.start();

const beat = await eventually(
  () => [...fired.keys()].find((key) => key.startsWith(`${scheduleName(PREFIX, 'heartbeat', 0)} `))?.split(' ')[1],
  70_000,
);
check('heartbeat is fired on the whole minute', beat !== undefined, [...fired.keys()]);
const record = beat === undefined ? undefined : await eventually(() => finished('heartbeat', beat), 20_000);
check('its run is recorded as succeeded, in its first attempt', isOneGoodRun(record), record);

// The job's source is out of order now and then, which costs it an attempt and the minutes until the next.
const waitMs = 80_000 + 4 * MINUTE_MS * failuresFor(hourBefore(new Date(oneTime.at)));
const zoned = await eventually(() => finished('usage-report', formatInstant(oneTime.at)), waitMs);
const hasRun = zoned?.status?.S === 'succeeded' && zoned.fencingToken?.N === zoned.attempts?.N;
check(`a one-time schedule in ${ZONE} fires at its local time`, hasRun, zoned ?? [...fired.keys()]);
const left = await eventually(async () => ((await names()).includes(oneTime.name) ? undefined : true), 10_000);
check('and is removed afterwards', left === true, await names());
await drive.stop();

if (beat !== undefined) {
  await Promise.all([1, 2, 3].map(() => invoke({ job: 'heartbeat', scheduledTime: beat })));
  const again = await finished('heartbeat', beat);
  check(
    'three more deliveries of the same occurrence change nothing',
    JSON.stringify(again) === JSON.stringify(record),
    again,
  );
}
const literal = await invoke({ job: 'heartbeat', scheduledTime: '<aws.scheduler.scheduled-time>' });
check(
  'an event with the literal context attribute is refused',
  literal.error && /belfry drive/.test(literal.text),
  literal,
);
const runs = await query('heartbeat');
const odd = runs.filter((run) => !/^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/.test(instantOfRun(run.sk?.S ?? '')));
check('every run belongs to a whole minute', runs.length > 0 && odd.length === 0, odd);

const passed = results.filter(Boolean).length;
console.log(`${passed} passed, ${results.length - passed} failed`);
process.exitCode = passed === results.length ? 0 : 1;

function check(claim: string, holds: boolean, seen: unknown): void {
  results.push(holds);
  console.log(holds ? `ok    ${claim}` : `FAIL  ${claim}: ${JSON.stringify(seen)}`);
}

/** A schedule for the minute after the next one, as a job's delayed retry would make it. */
async function createOneTime(): Promise<{ readonly name: string; readonly at: number }> {
  const at = Math.ceil((Date.now() + 15_000) / MINUTE_MS) * MINUTE_MS;
  const report = declared.find(({ name }) => name === scheduleName(PREFIX, 'usage-report', 0));
  const local = new Date(at).toLocaleString('sv-SE', { timeZone: ZONE }).replace(' ', 'T');
  const name = `smoke-${at / MINUTE_MS}`;
  await scheduler.send(
    new CreateScheduleCommand({
      Name: name,
      ...(report === undefined ? {} : { GroupName: report.group }),
      ScheduleExpression: `at(${local})`,
      ScheduleExpressionTimezone: ZONE,
      FlexibleTimeWindow: { Mode: 'OFF' },
      ActionAfterCompletion: 'DELETE',
      Target: {
        Arn: report?.targetArn,
        RoleArn: String(report?.properties.Target?.RoleArn),
        Input: JSON.stringify({
          job: 'usage-report',
          scheduledTime: '<aws.scheduler.scheduled-time>',
          trigger: 'manual',
        }),
      },
    }),
  );
  return { name, at };
}

async function names(): Promise<string[]> {
  return (await new EndpointSchedules(scheduler).list()).map(({ name }) => name);
}

async function invoke(event: object): Promise<{ readonly error: boolean; readonly text: string }> {
  const answer = await lambda.send(
    new InvokeCommand({ FunctionName: HEARTBEAT, Payload: Buffer.from(JSON.stringify(event)) }),
  );
  return { error: answer.FunctionError !== undefined, text: Buffer.from(answer.Payload ?? []).toString() };
}

/** The record of a run that has ended. */
async function finished(job: string, scheduledTime: string): Promise<Item | undefined> {
  const key = { pk: { S: jobPartition(job) }, sk: { S: runSortKey(Date.parse(scheduledTime)) } };
  const { Item: item } = await dynamodb.send(new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true }));
  const status = item?.status?.S;
  return status === undefined || status === 'running' || status === 'pending' ? undefined : (item as Item);
}

async function query(job: string): Promise<Item[]> {
  const answer = await dynamodb.send(
    new QueryCommand({
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :run)',
      ExpressionAttributeValues: { ':pk': { S: jobPartition(job) }, ':run': { S: RUN_SORT_KEYS } },
      ConsistentRead: true,
    }),
  );
  return (answer.Items ?? []) as Item[];
}

function isOneGoodRun(run: Item | undefined): boolean {
  return run?.status?.S === 'succeeded' && run.attempts?.N === '1' && run.fencingToken?.N === '1';
}

async function eventually<Value>(
  look: () => Promise<Value | undefined> | Value | undefined,
  forMs: number,
): Promise<Value | undefined> {
  const until = Date.now() + forMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined || Date.now() > until) return seen;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
