import { devNull } from 'node:os';
import type { FunctionResource } from '../assembly/resources.ts';

/** Where the functions' SDK clients are sent. */
export interface Endpoints {
  readonly dynamoDb: string;
  /** Lambda, Scheduler, and every other service: what it does not know it refuses. */
  readonly other: string;
}

/**
 * The whole environment of a function's process: what Lambda sets, what the template sets, and where the SDK finds its
 * services. Nothing of the host gets in; no profile or config file of the host's is read either.
 */
export function functionVariables(
  resource: FunctionResource,
  endpoints: Endpoints,
  runtimeApi: string,
): Record<string, string> {
  return {
    ...resource.variables,
    AWS_LAMBDA_RUNTIME_API: runtimeApi,
    _HANDLER: resource.handler,
    LAMBDA_TASK_ROOT: resource.codePath,
    AWS_EXECUTION_ENV: `AWS_Lambda_${resource.runtime}`,
    AWS_LAMBDA_FUNCTION_NAME: resource.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(resource.memoryMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: resource.logGroupName,
    AWS_LAMBDA_LOG_STREAM_NAME: `local/[$LATEST]${runtimeApi.replace(/\D/g, '').padStart(32, '0')}`,
    AWS_REGION: resource.region,
    AWS_DEFAULT_REGION: resource.region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL: endpoints.other,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamoDb,
    AWS_ENDPOINT_URL_LAMBDA: endpoints.other,
    AWS_ENDPOINT_URL_SCHEDULER: endpoints.other,
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    PATH: '/usr/local/bin:/usr/bin:/bin',
  };
}
