import { randomUUID } from 'node:crypto';
import type { AsyncInvoker } from '../lambda/async-invoker.ts';
import type { LambdaFunction } from '../lambda/lambda-function.ts';
import { AwsError, sendJson } from './aws-error.ts';
import type { EndpointRoute } from './endpoint-server.ts';

const INVOKE = 'POST 2015-03-31 invocations';
const CONCURRENCY = 'GET 2019-09-30 concurrency';
const CALLS = [INVOKE, CONCURRENCY, 'GET 2015-03-31 configuration'];
const MAX_PAYLOAD_BYTES = { Event: 1_048_576, RequestResponse: 6_291_456 };

/** Lambda's Invoke (`Event`, `RequestResponse`, `DryRun`), and what it tells of a function. */
export function lambdaRoute(functions: ReadonlyMap<string, LambdaFunction>, invoker: AsyncInvoker): EndpointRoute {
  return async ({ method, path, headers, body }, response) => {
    const [version, collection, named, action] = path;
    if (collection !== 'functions') return undefined;
    const call = `${method} ${version} ${action}`;
    if (!CALLS.includes(call)) return undefined;
    const target = functions.get(functionName(named ?? ''));
    if (target === undefined) throw new AwsError(404, 'ResourceNotFoundException', `Function not found: ${named}`);
    if (call !== INVOKE) {
      sendJson(response, 200, call === CONCURRENCY ? concurrencyOf(target) : configurationOf(target));
      return true;
    }
    const type = String(headers['x-amz-invocation-type'] ?? 'RequestResponse');
    if (type === 'DryRun') {
      sendJson(response, 204, undefined);
      return true;
    }
    if (type !== 'Event' && type !== 'RequestResponse') {
      throw new AwsError(
        400,
        'InvalidParameterValueException',
        `Invocation type ${type} is not one of Event, RequestResponse, DryRun`,
      );
    }
    const payload = body === '' ? '{}' : body;
    if (Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES[type]) {
      throw new AwsError(413, 'RequestTooLargeException', `the payload has more than ${MAX_PAYLOAD_BYTES[type]} bytes`);
    }
    try {
      JSON.parse(payload);
    } catch {
      throw new AwsError(400, 'InvalidRequestContentException', 'Could not parse request body into json');
    }
    if (type === 'Event') {
      invoker.accept(target, payload);
      sendJson(response, 202, undefined);
      return true;
    }
    if (target.isThrottled) throw new AwsError(429, 'TooManyRequestsException', 'Rate Exceeded.');
    const outcome = await target.invoke(randomUUID(), payload);
    response.writeHead(200, {
      'content-type': 'application/json',
      'x-amz-executed-version': '$LATEST',
      ...(outcome.ok ? {} : { 'x-amz-function-error': 'Unhandled' }),
    });
    response.end(outcome.payload);
    return true;
  };
}

function concurrencyOf({ resource }: LambdaFunction): object {
  const { reservedConcurrency } = resource;
  return reservedConcurrency === undefined ? {} : { ReservedConcurrentExecutions: reservedConcurrency };
}

function configurationOf({ resource }: LambdaFunction): object {
  return {
    FunctionName: resource.name,
    FunctionArn: resource.arn,
    Runtime: resource.runtime,
    Handler: resource.handler,
    Timeout: resource.timeoutMs / 1000,
    MemorySize: resource.memoryMb,
    Version: '$LATEST',
    PackageType: 'Zip',
    State: 'Active',
    LastUpdateStatus: 'Successful',
    Environment: { Variables: resource.variables },
  };
}

/** A function may be named by its name or its ARN, each with or without a qualifier. */
function functionName(named: string): string {
  const parts = named.split(':');
  return (parts[0] === 'arn' ? parts[6] : parts[0]) ?? '';
}
