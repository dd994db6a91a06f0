import type { FunctionResource } from '../../lib/local/assembly/resources.ts';
import type { VirtualClock } from '../../lib/local/clock/virtual-clock.ts';
import type { EnvironmentPool } from '../../lib/local/lambda/environment-pool.ts';
import { LambdaFunction } from '../../lib/local/lambda/lambda-function.ts';
import type { MemoryWatch } from '../../lib/local/lambda/memory-watch.ts';

export interface SandboxFunctionOptions {
  readonly handler: string;
  readonly codePath: string;
  readonly clock: VirtualClock;
  readonly pool: EnvironmentPool;
  readonly memory: MemoryWatch;
  readonly onLine?: (line: string) => void;
  readonly overrides?: Partial<FunctionResource>;
}

/** A function that stands in no template. */
export function sandboxFunction(options: SandboxFunctionOptions): LambdaFunction {
  const { handler, codePath, clock, pool, memory, onLine = () => {}, overrides = {} } = options;
  const resource: FunctionResource = {
    name: 'dev-job',
    arn: 'arn:aws:lambda:us-east-1:000000000000:function:dev-job',
    handler,
    runtime: 'nodejs24.x',
    region: 'us-east-1',
    codePath,
    timeoutMs: 5_000,
    memoryMb: 256,
    variables: { BELFRY_TABLE: 'dev-runs' },
    logGroupName: '/aws/lambda/dev-job',
    asyncInvoke: { maximumRetryAttempts: 2, maximumEventAgeMs: 21_600_000 },
    jobs: [],
    ...overrides,
  };
  const endpoints = () => ({ dynamoDb: 'http://127.0.0.1:1', other: 'http://127.0.0.1:2' });
  return new LambdaFunction({ resource, clock, pool, memory, endpoints, onLine });
}
