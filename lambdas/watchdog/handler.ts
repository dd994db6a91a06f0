import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { DynamoDbRunStore } from '../../lib/adapters/dynamodb-run-store/dynamodb-run-store.ts';
import { DynamoDbJobStates } from '../../lib/adapters/dynamodb-watch-store/dynamodb-job-states.ts';
import { DynamoDbWatchStore } from '../../lib/adapters/dynamodb-watch-store/dynamodb-watch-store.ts';
import { LambdaInvoker } from '../../lib/adapters/lambda-invoker/lambda-invoker.ts';
import { SystemClock } from '../../lib/adapters/system-clock/system-clock.ts';
import type { JobTiming } from '../../lib/domain/watch/job-state.ts';
import { reportLines } from './report.ts';
import { sweep } from './sweep.ts';
import { readManifest } from './watched-manifest.ts';

const { BELFRY_TABLE: tableName = '', LAMBDA_TASK_ROOT: root = '.' } = process.env;
const dynamodb = new DynamoDBClient({});
const clock = new SystemClock();
const manifest = readManifest(root);
const dependencies = {
  manifest,
  watchStore: new DynamoDbWatchStore(dynamodb, tableName),
  jobStates: new DynamoDbJobStates(dynamodb, tableName),
  runStore: new DynamoDbRunStore(dynamodb, tableName),
  invoker: new LambdaInvoker(new LambdaClient({}), manifest.functions),
  timings: new Map<string, JobTiming>(),
};

export async function handler(): Promise<void> {
  const startedAt = clock.now();
  const report = await sweep(dependencies, startedAt);
  const lines = reportLines(report, { environment: manifest.environment, startedAt, endedAt: clock.now() });
  process.stdout.write(`${lines.join('\n')}\n`);
}
