import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** What the clients of all services have alike. */
type SharedSettings = Pick<DynamoDBClientConfig, 'cacheMiddleware' | 'requestHandler' | 'defaultUserAgentProvider'>;

/**
 * For a client that is asked in every invocation. Nobody changes it after its first request, so what its middlewares come to
 * is worked out once. Its name is short because the SDK escapes and sends the whole user agent with every request: the
 * default one costs a twentieth of a call.
 */
export const CLIENT_SETTINGS: SharedSettings = {
  cacheMiddleware: true,
  // By itself the SDK waits for ever: a connection that died in silence would cost the whole invocation. Three tries in each
  // of the steps of a watchdog's sweep are within its minute.
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  defaultUserAgentProvider: async () => [['cdk-belfry', '0']],
};

export const DYNAMODB_SETTINGS: DynamoDBClientConfig = {
  ...CLIENT_SETTINGS,
  // A function's own credentials name no account, so nothing could come of looking for its endpoint at each request.
  accountIdEndpointMode: 'disabled',
};

/**
 * Where a service answers, found out once. By itself the SDK looks for a configured endpoint at every request, in the
 * environment and in files that functions do not have.
 * @param service as the SDK spells it in `AWS_ENDPOINT_URL_<service>`
 */
export function endpointOf(
  service: 'DYNAMODB' | 'LAMBDA' | 'SCHEDULER',
  env: NodeJS.ProcessEnv = process.env,
): Pick<DynamoDBClientConfig, 'endpoint' | 'ignoreConfiguredEndpointUrls'> {
  const ignored = env.AWS_IGNORE_CONFIGURED_ENDPOINT_URLS === 'true';
  const endpoint = ignored ? undefined : env[`AWS_ENDPOINT_URL_${service}`] || env.AWS_ENDPOINT_URL;
  return endpoint === undefined || endpoint === '' ? { ignoreConfiguredEndpointUrls: true } : { endpoint };
}
