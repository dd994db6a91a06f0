import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { DynamoDbLedger } from '../../lib/adapters/dynamodb-run-store/dynamodb-ledger.ts';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { DynamoDbJobStates } from '../../lib/adapters/dynamodb-watch-store/dynamodb-job-states.ts';
import { DynamoDbWatchStore } from '../../lib/adapters/dynamodb-watch-store/dynamodb-watch-store.ts';
import { DeployedSchedules } from '../../lib/adapters/eventbridge-scheduler/deployed-schedules.ts';
import { LambdaInvoker } from '../../lib/adapters/lambda-invoker/lambda-invoker.ts';
import { CLIENT_SETTINGS, DYNAMODB_SETTINGS, endpointOf } from '../../lib/adapters/sdk-client/client-settings.ts';
import type { Topics } from '../../lib/adapters/sns-notifier/sns-notifier.ts';
import { SystemClock } from '../../lib/adapters/system-clock/system-clock.ts';
import { scheduleGroup } from '../../lib/domain/contract/names.ts';
import { type QuietWindow, quietTimes } from '../../lib/domain/watch/maintenance-window.ts';
import type { EvidenceSource } from '../../lib/domain/watch/ports.ts';
import { DeployedManifest } from './deployed-manifest.ts';
import { firingLateness } from './firing-lateness.ts';
import { Foresight } from './foresight.ts';
import { reportLines } from './report.ts';
import { type SweepDependencies, sweep } from './sweep.ts';
import type { Telling } from './tell.ts';
import { TimingMemory } from './timing-memory.ts';
import type { WatchedManifest } from './watched-manifest.ts';

const {
  BELFRY_TABLE: tableName = '',
  BELFRY_ENVIRONMENT: environment = '',
  BELFRY_SCHEDULER: scheduler = '',
  BELFRY_JOBS_STACKS: jobsStacks = '',
  BELFRY_STACKS: stacks = '1',
  BELFRY_DEAD_LETTERS: deadLetterUrl,
  BELFRY_TOPICS: topics = '{}',
  BELFRY_REMIND_MS: remindMs = String(86_400_000),
  BELFRY_MAINTENANCE: maintenance = '[]',
} = process.env;
const dynamodb = new DynamoDBClient({ ...DYNAMODB_SETTINGS, ...endpointOf('DYNAMODB') });
const clock = new SystemClock();
const lambda = new LambdaClient({ ...CLIENT_SETTINGS, ...endpointOf('LAMBDA') });
const schedulerClient = new SchedulerClient({ ...CLIENT_SETTINGS, ...endpointOf('SCHEDULER') });
const schedules = new DeployedSchedules(schedulerClient, scheduleGroup(scheduler));
const manifests = new DeployedManifest({
  environment,
  scheduler,
  jobsStacks,
  stacks: Number(stacks),
  look: (name) => schedules.look(name),
});

/** Opened at the first miss: most sweeps need neither the clients nor the time that they take to load. */
let opened: Promise<EvidenceSource> | undefined;
function evidence(): Promise<EvidenceSource> {
  opened ??= import('./aws-evidence.ts').then(({ awsEvidence }) =>
    awsEvidence(scheduleGroup(scheduler), deadLetterUrl),
  );
  return opened;
}

const isQuiet = quietTimes(JSON.parse(maintenance) as readonly QuietWindow[]);
function tellingOf(manifest: WatchedManifest): Telling {
  const zones = new Map(manifest.jobs.map(({ entry }) => [entry.name, entry.timeZone]));
  const place = { environment, scheduler, timeZoneOf: (job: string) => zones.get(job) };
  const notifier = async () => {
    const { snsNotifier } = await import('./sns-notifications.ts');
    return snsNotifier(JSON.parse(topics) as Topics, place);
  };
  return { notifier, remindMs: Number(remindMs), isQuiet };
}

const foresight = new Foresight();
const dependencies: Omit<SweepDependencies, 'manifest' | 'invoker' | 'telling'> = {
  watchStore: new DynamoDbWatchStore(dynamodb, tableName),
  jobStates: new DynamoDbJobStates(dynamodb, tableName),
  runStore: new DynamoDbRunStore(dynamodb, tableName),
  timings: new TimingMemory(),
  audit: new DynamoDbLedger(dynamodb, tableName),
  evidence,
};

export async function handler(event?: { readonly scheduledTime?: unknown }): Promise<void> {
  const startedAt = clock.now();
  const runs = foresight.runsAt(startedAt, dependencies.runStore);
  // None needs another; what the first to fail says ends the sweep.
  const [manifest, place] = await Promise.all([manifests.read(), dependencies.watchStore.load()]);
  const invoker = new LambdaInvoker(lambda, manifest.functions);
  const lateness = firingLateness(event, place, startedAt);
  const telling = tellingOf(manifest);
  const report = await sweep({ ...dependencies, manifest, invoker, runs, telling }, place, startedAt, lateness);
  foresight.remember(report.state, manifest);
  const lines = reportLines(report, { scheduler, startedAt, endedAt: clock.now(), together: manifest.together });
  process.stdout.write(`${lines.join('\n')}\n`);
}
