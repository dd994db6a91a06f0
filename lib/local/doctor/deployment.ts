import { DescribeTableCommand, DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';
import { DeployedWatchdogs } from '../../adapters/deployed-watchdogs/deployed-watchdogs.ts';
import { watchdogFunctionName } from '../../domain/contract/names.ts';
import { STATE_SORT_KEY, WATCHDOG_PARTITION } from '../../domain/contract/run-table-keys.ts';
import { BelfryError } from '../../domain/errors.ts';
import { type FoundWatchdog, planWatchdog, watchdogNamed } from '../../domain/operate/plan-watchdog.ts';
import type { EndpointIdentity } from '../drive/endpoint.ts';
import { type Finding, ok, skipped, wrong } from './finding.ts';

/** What could be learnt of a deployed environment. */
export type Deployment =
  | { readonly state: 'unreachable'; readonly reason: string }
  /** `why` says what was looked for, and what there is. */
  | { readonly state: 'absent'; readonly why: string }
  | { readonly state: 'tableMissing'; readonly watchdog: FoundWatchdog }
  | { readonly state: 'present'; readonly watchdog: FoundWatchdog; readonly sweptAt: number | undefined };

const LONGEST_SILENCE_MS = 3 * 60_000;

/** Looks from the watchdog's function to its table to its last sweep. */
export async function lookAtDeployment(
  { environment, prefix }: { readonly environment: string; readonly prefix?: string | undefined },
  settings: LambdaClientConfig,
): Promise<Deployment> {
  const options = { ...settings, maxAttempts: 2 } as LambdaClientConfig;
  const lambda = new LambdaClient(options);
  const dynamodb = new DynamoDBClient(options as ConstructorParameters<typeof DynamoDBClient>[0] & object);
  try {
    const watchdogs = new DeployedWatchdogs(lambda);
    const watchdog =
      prefix === undefined
        ? planWatchdog(environment, await watchdogs.list())
        : watchdogNamed(prefix, await watchdogs.find(prefix));
    const { tableName } = watchdog;
    try {
      await dynamodb.send(new DescribeTableCommand({ TableName: tableName }));
    } catch (error) {
      if (isNotFound(error)) return { state: 'tableMissing', watchdog };
      throw error;
    }
    const Key = { pk: { S: WATCHDOG_PARTITION }, sk: { S: STATE_SORT_KEY } };
    const { Item } = await dynamodb.send(new GetItemCommand({ TableName: tableName, Key }));
    const sweptAt = Number(Item?.sweptAt?.N);
    return { state: 'present', watchdog, sweptAt: Number.isNaN(sweptAt) ? undefined : sweptAt };
  } catch (error) {
    if (error instanceof BelfryError) return { state: 'absent', why: error.message };
    return { state: 'unreachable', reason: error instanceof Error ? error.message : String(error) };
  } finally {
    lambda.destroy();
    dynamodb.destroy();
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === 'ResourceNotFoundException';
}

export function judgeEndpoint(endpoint: string, identity: EndpointIdentity | Error): Finding {
  if (identity instanceof Error) {
    return wrong(
      'endpoint',
      `nothing answers at ${endpoint}`,
      'start the emulator there (localstack/README.md), or correct the URL; unset AWS_ENDPOINT_URL to mean AWS itself',
    );
  }
  if (identity.kind === 'unknown') {
    return wrong(
      'endpoint',
      `what answers at ${endpoint} is no emulator that we know: it says nothing at /_localstack/health`,
      'another program may have the port: stop it, or correct AWS_ENDPOINT_URL (unset it to mean AWS itself)',
    );
  }
  return ok(
    'endpoint',
    `${identity.kind}${identity.version === undefined ? '' : ` ${identity.version}`} at ${endpoint}`,
  );
}

/** @param endpoint undefined for AWS itself */
export function judgeTable(deployment: Deployment, endpoint: string | undefined): Finding {
  const where = endpoint ?? 'AWS';
  switch (deployment.state) {
    case 'unreachable':
      return wrong(
        'table',
        `${where} could not be asked: ${deployment.reason}`,
        'check the credentials, AWS_REGION and AWS_PROFILE',
      );
    case 'absent':
      return wrong(
        'table',
        `${where} has no such environment: ${deployment.why}`,
        `deploy the stacks of the scheduler and its watchdog there, or name another with --environment or --prefix`,
      );
    case 'tableMissing':
      return wrong(
        'table',
        `the functions of '${deployment.watchdog.environment}' record their runs in table ${deployment.watchdog.tableName}, which does not exist at ${where}`,
        'deploy the stack that declares the table again; if somebody deleted it, restore it from a backup under the same name first',
      );
    case 'present':
      return ok('table', deployment.watchdog.tableName);
  }
}

/** @param endpoint undefined for AWS itself */
export function judgeWatchdog(deployment: Deployment, endpoint: string | undefined, now: number): Finding {
  if (deployment.state !== 'present') return skipped('watchdog', 'there is no table to read its place from');
  const { watchdog } = deployment;
  const fix =
    endpoint === undefined
      ? `look at the logs of ${watchdogFunctionName(watchdog.prefix)} and whether its schedule is enabled; 'npx cdk deploy ${watchdog.watchStack}' restores both`
      : "nobody fires the schedules there: run 'belfry drive' beside the emulator";
  if (deployment.sweptAt === undefined) return wrong('watchdog', 'it has not looked once', fix);
  const silence = now - deployment.sweptAt;
  const minutes = Math.round(silence / 60_000);
  if (silence <= LONGEST_SILENCE_MS)
    return ok('watchdog', `last looked at ${new Date(deployment.sweptAt).toISOString()}`);
  return wrong(
    'watchdog',
    `it last looked ${minutes.toLocaleString('en')} minutes ago, at ${new Date(deployment.sweptAt).toISOString()}`,
    fix,
  );
}
