import type { FunctionResource } from '../assembly/resources.ts';
import type { ClockHold, VirtualClock } from '../clock/virtual-clock.ts';
import type { ProcessFaults } from '../faults/process-faults.ts';
import type { EnvironmentPool } from './environment-pool.ts';
import { ExecutionEnvironment } from './execution-environment.ts';
import { type Endpoints, functionVariables } from './function-variables.ts';
import { errorPayload, type InvocationOutcome } from './invocation-outcome.ts';
import type { MemoryWatch } from './memory-watch.ts';

export interface LambdaFunctionOptions {
  readonly resource: FunctionResource;
  readonly clock: VirtualClock;
  readonly pool: EnvironmentPool;
  readonly memory: MemoryWatch;
  readonly endpoints: () => Endpoints;
  /** Gets what the function prints, and the START, END and REPORT lines that Lambda adds. */
  readonly onLine: (line: string) => void;
  readonly compileCache?: string;
  readonly faults?: ProcessFaults;
}

/** One function of the template. */
export class LambdaFunction {
  readonly #options: LambdaFunctionOptions;

  #resource: FunctionResource;
  #running = 0;

  constructor(options: LambdaFunctionOptions) {
    this.#options = options;
    this.#resource = options.resource;
  }

  get resource(): FunctionResource {
    return this.#resource;
  }

  /** Serves what comes from now on with other code or settings; what is running ends as it is. */
  async replace(resource: FunctionResource): Promise<void> {
    this.#resource = resource;
    await this.#options.pool.retire(resource.name);
  }

  /** As many invocations run as the function has concurrency reserved: Lambda would refuse another. */
  get isThrottled(): boolean {
    return this.#running >= (this.#resource.reservedConcurrency ?? Number.POSITIVE_INFINITY);
  }

  /**
   * Runs one invocation, whether or not the function is throttled, with the clock at real pace while it does not only wait
   * for timers; waits while the machine is full. Never rejects.
   * @param follow draws the consequences, before the clock goes on
   */
  async invoke(
    requestId: string,
    payload: string,
    follow: (outcome: InvocationOutcome) => void = () => {},
  ): Promise<InvocationOutcome> {
    const hold = this.#options.clock.restingHold();
    this.#running++;
    try {
      const outcome = await this.#run(requestId, payload, hold);
      follow(outcome);
      return outcome;
    } finally {
      this.#running--;
      hold.release();
    }
  }

  async #run(requestId: string, payload: string, hold: ClockHold): Promise<InvocationOutcome> {
    const { pool, onLine } = this.#options;
    try {
      const environment = await pool.acquire(this.resource.name, () => this.#start(), hold);
      onLine(`START RequestId: ${requestId} Version: $LATEST`);
      const outcome = await environment.invoke(requestId, payload, hold);
      pool.release(environment);
      onLine(`END RequestId: ${requestId}`);
      onLine(reportLine(requestId, outcome, this.resource.memoryMb));
      return outcome;
    } catch (error) {
      // No process could be had: out of descriptors, or of processes.
      const payload = errorPayload('Sandbox.StartFailed', error instanceof Error ? error.message : String(error));
      return { ok: false, failure: 'init', payload, durationMs: 0, maxMemoryMb: 0 };
    }
  }

  #start(): Promise<ExecutionEnvironment> {
    const { clock, memory, endpoints, onLine, faults, compileCache } = this.#options;
    const resource = this.#resource;
    return ExecutionEnvironment.start({
      codePath: resource.codePath,
      functionArn: resource.arn,
      timeoutMs: resource.timeoutMs,
      memoryMb: resource.memoryMb,
      variables: (runtimeApi) => functionVariables(resource, endpoints(), runtimeApi),
      clock,
      memory,
      onLine,
      ...(compileCache === undefined ? {} : { compileCache }),
      skew: faults?.skew(resource.name) ?? 0,
      onHandedOver: (requestId, payload, environment) =>
        faults?.onHandedOver(resource.name, requestId, payload, environment),
    });
  }
}

function reportLine(requestId: string, outcome: InvocationOutcome, memoryMb: number): string {
  const duration = outcome.durationMs.toFixed(2);
  const end = outcome.ok ? '' : `\tStatus: ${outcome.failure === 'timeout' ? 'timeout' : 'error'}`;
  return `REPORT RequestId: ${requestId}\tDuration: ${duration} ms\tBilled Duration: ${Math.ceil(outcome.durationMs)} ms\tMemory Size: ${memoryMb} MB\tMax Memory Used: ${outcome.maxMemoryMb} MB${end}`;
}
