import { DescribeTableCommand, DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';
import { STATE_SORT_KEY, WATCHDOG_PARTITION } from '../../domain/contract/run-table-keys.ts';
import type { EndpointIdentity } from '../drive/endpoint.ts';
import { type Finding, ok, skipped, wrong } from './finding.ts';

/** What could be learnt of a deployed environment. */
export type Deployment =
  | { readonly state: 'unreachable'; readonly reason: string }
  | { readonly state: 'absent'; readonly functionName: string }
  | { readonly state: 'tableMissing'; readonly tableName: string }
  | { readonly state: 'present'; readonly tableName: string; readonly sweptAt: number | undefined };

const LONGEST_SILENCE_MS = 3 * 60_000;

/** Looks from the watchdog's function to its table to its last sweep. */
export async function lookAtDeployment(environment: string, settings: LambdaClientConfig): Promise<Deployment> {
  const options = { ...settings, maxAttempts: 2 } as LambdaClientConfig;
  const lambda = new LambdaClient(options);
  const dynamodb = new DynamoDBClient(options as ConstructorParameters<typeof DynamoDBClient>[0] & object);
  const functionName = `belfry-${environment}_watchdog`;
  try {
    const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName: functionName }));
    const tableName = Environment?.Variables?.BELFRY_TABLE ?? '';
    try {
      await dynamodb.send(new DescribeTableCommand({ TableName: tableName }));
    } catch (error) {
      if (isNotFound(error)) return { state: 'tableMissing', tableName };
      throw error;
    }
    const Key = { pk: { S: WATCHDOG_PARTITION }, sk: { S: STATE_SORT_KEY } };
    const { Item } = await dynamodb.send(new GetItemCommand({ TableName: tableName, Key }));
    const sweptAt = Number(Item?.sweptAt?.N);
    return { state: 'present', tableName, sweptAt: Number.isNaN(sweptAt) ? undefined : sweptAt };
  } catch (error) {
    if (isNotFound(error)) return { state: 'absent', functionName };
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

export interface Place {
  readonly environment: string;
  /** Undefined for AWS itself. */
  readonly endpoint: string | undefined;
}

export function judgeTable(deployment: Deployment, { environment, endpoint }: Place): Finding {
  const where = endpoint ?? 'AWS';
  const deploy = endpoint === undefined ? `npx cdk deploy '${environment}/*'` : 'npm run localstack:deploy';
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
        `environment '${environment}' is not deployed at ${where}: there is no function ${deployment.functionName}`,
        `deploy it with '${deploy}', or name another with --environment; on AWS, check AWS_REGION and AWS_PROFILE too`,
      );
    case 'tableMissing':
      return wrong(
        'table',
        `the functions of '${environment}' record their runs in table ${deployment.tableName}, which does not exist at ${where}`,
        `deploy the state stack again with '${deploy}'; if somebody deleted it, restore it from a backup under the same name first`,
      );
    case 'present':
      return ok('table', deployment.tableName);
  }
}

export function judgeWatchdog(deployment: Deployment, { environment, endpoint }: Place, now: number): Finding {
  if (deployment.state !== 'present') return skipped('watchdog', 'there is no table to read its place from');
  const fix =
    endpoint === undefined
      ? `look at the logs of belfry-${environment}_watchdog and whether its schedule is enabled; 'npx cdk deploy ${environment}/watch' restores both`
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
