import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';
import { type Command, InvalidArgumentError } from 'commander';
import { DeployedWatchdogs } from '../adapters/deployed-watchdogs/deployed-watchdogs.ts';
import { DynamoDbWatchStore } from '../adapters/dynamodb-watch-store/dynamodb-watch-store.ts';
import { SystemClock } from '../adapters/system-clock/system-clock.ts';
import { assertPrefix } from '../domain/contract/names.ts';
import { BelfryError } from '../domain/errors.ts';
import { type FoundWatchdog, planWatchdog, watchdogNamed } from '../domain/operate/plan-watchdog.ts';
import type { RosterEntry, WatchState } from '../domain/watch/watch-state.ts';
import { rememberedClock } from '../local/data-clock.ts';
import { DynamoDbEndpoint } from '../local/dynamodb/dynamodb-endpoint.ts';
import { askClock } from '../local/endpoints/clock-route.ts';
import { inspectLock } from '../local/folder-lock.ts';
import { StateFolder } from '../local/state-folder.ts';

export interface TargetFlags {
  readonly environment: string;
  /** What the scheduler's names begin with, where the environment alone does not say which one is meant. */
  readonly prefix?: string;
  readonly local: boolean;
  readonly table?: string;
}

/** Settings for SDK clients: none for AWS, which is found by the SDK's usual ones. */
export type ServiceEndpoint = Pick<LambdaClientConfig, 'endpoint' | 'region' | 'credentials'>;

/** Which environment's ledger a command looks at. */
export interface Target {
  readonly environment: string;
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly watchStore: DynamoDbWatchStore;
  /** What the watchdog remembers; undefined before its first sweep. */
  readonly state: WatchState | undefined;
  /** The jobs in force, as the watchdog knows them. */
  readonly jobs: readonly RosterEntry[];
  /** Epoch milliseconds. Locally it may be a virtual time: what the clock of the run shows, or showed when it ended. */
  readonly now: number;
  /** How the environment's functions and schedules are reached; undefined when it is local and not running. */
  readonly endpoint: ServiceEndpoint | undefined;
  /** What the names of the environment's functions and schedules begin with. */
  prefix(): Promise<string>;
  close(): Promise<void>;
}

export function withTarget(command: Command): Command {
  return command
    .option('--environment <name>', 'which environment to look at', 'dev')
    .option(
      '--prefix <prefix>',
      'which scheduler, where several are of this environment (default: its only one)',
      parsePrefix,
    )
    .option('--local', "the one that 'belfry dev' runs or ran in this folder, not AWS", false)
    .option('--table <name>', "name of the run table (default: BELFRY_TABLE, or what the environment's watchdog uses)");
}

function parsePrefix(prefix: string): string {
  try {
    assertPrefix(prefix);
    return prefix;
  } catch (error) {
    if (error instanceof BelfryError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

/** What to add to another command so that it looks at the same place. */
export function samePlace({ environment, local, prefix, table }: TargetFlags): string {
  return [
    ` --environment ${environment}`,
    prefix === undefined ? '' : ` --prefix ${prefix}`,
    local ? ' --local' : '',
    table === undefined ? '' : ` --table ${table}`,
  ].join('');
}

/**
 * Opens the run table of an environment. AWS is found by the SDK's usual settings: AWS_REGION, AWS_PROFILE,
 * AWS_ENDPOINT_URL.
 * @throws BelfryError `NotDeployed`, `SeveralDeployed`, `NotRunHere`, `AlreadyRunning`
 */
export async function openTarget(flags: TargetFlags): Promise<Target> {
  const place = flags.local ? await localTable(flags) : await deployedTable(flags);
  const watchStore = new DynamoDbWatchStore(place.client, place.tableName);
  try {
    const { state } = await watchStore.load();
    const jobs = state === undefined ? [] : await watchStore.loadRoster(state.epochs.at(-1)?.roster ?? '');
    const now = await place.now(state?.sweptAt);
    return { environment: flags.environment, ...place, watchStore, state, jobs, now };
  } catch (error) {
    await place.close();
    throw error;
  }
}

/**
 * What the clock of a run shows that is over or does not tell. One that was killed left behind when it began, and the
 * watchdog's last look: it showed less than a minute more than that. Where the real time is within that minute, that is it.
 */
export function localNow(sweptAt: number | undefined, remembered: number | undefined, systemNow: number): number {
  if (sweptAt === undefined) return remembered ?? systemNow;
  if (remembered !== undefined && remembered >= sweptAt) return remembered;
  const bound = sweptAt + 60_000;
  return systemNow >= sweptAt && systemNow < bound ? systemNow : bound;
}

interface Place extends Pick<Target, 'client' | 'tableName' | 'endpoint' | 'prefix' | 'close'> {
  /** Where what was found says it. */
  readonly environment?: string;
  /** @param sweptAt when the watchdog looked last */
  now(sweptAt: number | undefined): Promise<number>;
}

async function deployedTable(flags: TargetFlags): Promise<Place> {
  const named = flags.table ?? process.env.BELFRY_TABLE;
  const watchdog = named === undefined ? await findWatchdog(flags) : undefined;
  const tableName = named ?? watchdog?.tableName ?? '';
  const client = new DynamoDBClient({});
  const now = async () => new SystemClock().now();
  const prefix = async () => flags.prefix ?? (watchdog ?? (await findWatchdog(flags))).prefix;
  // A prefix says which environment is meant, whatever --environment says or leaves out.
  const environment = watchdog?.environment ?? flags.environment;
  return { environment, client, tableName, endpoint: {}, now, prefix, close: async () => client.destroy() };
}

/** The watchdog knows what a person need not: its function's name gives the prefix, its variables the table. */
async function findWatchdog({ environment, prefix }: TargetFlags): Promise<FoundWatchdog> {
  const lambda = new LambdaClient({});
  try {
    const watchdogs = new DeployedWatchdogs(lambda);
    return prefix === undefined
      ? planWatchdog(environment, await watchdogs.list())
      : watchdogNamed(prefix, await watchdogs.find(prefix));
  } finally {
    lambda.destroy();
  }
}

async function localTable({ environment, table }: TargetFlags): Promise<Place> {
  const root = join(process.cwd(), '.belfry');
  const { dynamoDb, endpoint: services, runTable, scheduler = '' } = published(join(root, environment, 'runtime.json'));
  const tableName = table ?? runTable;
  if (tableName === undefined) {
    throw new BelfryError(
      'NotRunHere',
      `nothing of environment '${environment}' has been run in this folder: start it with 'belfry dev --environment ${environment}', or leave out --local to look at AWS`,
    );
  }
  const prefix = async () => scheduler;
  const systemClock = new SystemClock();
  if (dynamoDb !== undefined && inspectLock(join(root, 'dev.lock'))?.alive === true) {
    const client = localClient(dynamoDb);
    const endpoint = services === undefined ? undefined : localSettings(services);
    const now: Place['now'] = async (sweptAt) =>
      (services === undefined ? undefined : await askClock(services)) ??
      localNow(sweptAt, undefined, systemClock.now());
    return { client, tableName, endpoint, now, prefix, close: async () => client.destroy() };
  }
  // Taken for as long as we look: the store on disk bears one process only.
  const folder = StateFolder.open(process.cwd(), environment, false);
  try {
    const endpoint = await DynamoDbEndpoint.start({
      path: folder.file('dynamodb'),
      now: () => systemClock.now(),
    });
    const client = localClient(endpoint.url);
    const close = async () => {
      client.destroy();
      await endpoint.close();
      folder.close();
    };
    const now: Place['now'] = async (sweptAt) => localNow(sweptAt, rememberedClock(folder), systemClock.now());
    return { client, tableName, endpoint: undefined, now, prefix, close };
  } catch (error) {
    folder.close();
    throw error;
  }
}

/** What the local runtime says of itself when it starts. */
function published(file: string): {
  readonly dynamoDb?: string;
  readonly endpoint?: string;
  readonly runTable?: string;
  readonly scheduler?: string;
} {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof published>;
  } catch {
    return {};
  }
}

function localClient(endpoint: string): DynamoDBClient {
  return new DynamoDBClient(localSettings(endpoint));
}

function localSettings(endpoint: string) {
  return { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
}
