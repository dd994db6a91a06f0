import {
  type EnvironmentResponse,
  GetFunctionConfigurationCommand,
  type LambdaClient,
  paginateListFunctions,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import { prefixOfWatchdog, watchdogFunctionName } from '../../domain/contract/names.ts';
import type { FoundWatchdog } from '../../domain/operate/plan-watchdog.ts';

/** The watchdogs of an account and Region, found by their functions' names and variables. */
export class DeployedWatchdogs {
  readonly #client: LambdaClient;

  constructor(client: LambdaClient) {
    this.#client = client;
  }

  /** All there are. Costs a request for every 50 functions. */
  async list(): Promise<readonly FoundWatchdog[]> {
    const found: FoundWatchdog[] = [];
    for await (const { Functions = [] } of paginateListFunctions({ client: this.#client }, {})) {
      for (const { FunctionName, Environment } of Functions) {
        const prefix = prefixOfWatchdog(FunctionName ?? '');
        const watchdog = prefix === undefined ? undefined : watchdogOf(prefix, Environment);
        if (watchdog !== undefined) found.push(watchdog);
      }
    }
    return found;
  }

  /** The one of a scheduler, by its prefix. */
  async find(prefix: string): Promise<FoundWatchdog | undefined> {
    try {
      const command = new GetFunctionConfigurationCommand({ FunctionName: watchdogFunctionName(prefix) });
      return watchdogOf(prefix, (await this.#client.send(command)).Environment);
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw error;
    }
  }
}

/** Undefined for a function that is named like a watchdog and is none. */
function watchdogOf(prefix: string, environment: EnvironmentResponse | undefined): FoundWatchdog | undefined {
  const {
    BELFRY_ENVIRONMENT,
    BELFRY_TABLE,
    BELFRY_JOBS_STACKS: jobsStacks = '',
    BELFRY_WATCH_STACK: watchStack = '',
  } = environment?.Variables ?? {};
  if (BELFRY_ENVIRONMENT === undefined || BELFRY_TABLE === undefined) return undefined;
  return { prefix, environment: BELFRY_ENVIRONMENT, tableName: BELFRY_TABLE, jobsStacks, watchStack };
}
