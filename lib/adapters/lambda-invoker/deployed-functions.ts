import {
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  type LambdaClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import type { FoundFunction } from '../../domain/watch/plan-cause.ts';

/** Functions as they are now. */
export class DeployedFunctions {
  readonly #client: LambdaClient;

  constructor(client: LambdaClient) {
    this.#client = client;
  }

  async look(functionName: string, abortSignal?: AbortSignal): Promise<FoundFunction> {
    const options = abortSignal === undefined ? {} : { abortSignal };
    const name = { FunctionName: functionName };
    try {
      const configuration = await this.#client.send(new GetFunctionConfigurationCommand(name), options);
      const concurrency = await this.#client.send(new GetFunctionConcurrencyCommand(name), options);
      const { State: state, StateReason: stateReason } = configuration;
      const reservedConcurrency = concurrency.ReservedConcurrentExecutions;
      return {
        exists: true,
        ...(state === undefined ? {} : { state }),
        ...(stateReason === undefined ? {} : { stateReason }),
        ...(reservedConcurrency === undefined ? {} : { reservedConcurrency }),
      };
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return { exists: false };
      throw error;
    }
  }
}
