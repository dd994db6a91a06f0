import { cpus } from 'node:os';
import type { MetricDatum } from './alarms/embedded-metrics.ts';
import type { FunctionResource } from './assembly/resources.ts';
import type { VirtualClock } from './clock/virtual-clock.ts';
import type { ProcessFaults } from './faults/process-faults.ts';
import { FunctionOutput } from './function-output.ts';
import { type AsyncEvent, AsyncInvoker, type AsyncPlan } from './lambda/async-invoker.ts';
import { EnvironmentPool } from './lambda/environment-pool.ts';
import type { Endpoints } from './lambda/function-variables.ts';
import { type InvocationOutcome, readErrorPayload, readErrorStack } from './lambda/invocation-outcome.ts';
import { LambdaFunction } from './lambda/lambda-function.ts';
import { MemoryWatch } from './lambda/memory-watch.ts';
import type { LocalEvent } from './local-event.ts';
import type { LocalQueues } from './queues/local-queues.ts';
import { placeIn, SourcePositions } from './source-positions.ts';

export interface FunctionFleetOptions {
  /** Where sources are named from. */
  readonly projectFolder: string;
  readonly clock: VirtualClock;
  readonly resources: readonly FunctionResource[];
  readonly logFile: (functionName: string) => string;
  readonly queues: LocalQueues;
  readonly emit: (event: LocalEvent) => void;
  readonly addMetric: (datum: MetricDatum) => void;
  /** Asked when a process is started, not before. */
  readonly endpoints: () => Endpoints;
  readonly faults?: ProcessFaults;
  /** Folder in which Node keeps the functions' compiled code. */
  readonly compileCache: string;
}

/** Most processes of functions that live at once. */
const PROCESS_LIMIT = Math.max(16, 4 * cpus().length);

/** All functions of the environment, their processes, logs and asynchronous events. */
export class FunctionFleet {
  readonly #functions = new Map<string, LambdaFunction>();
  readonly invoker: AsyncInvoker;
  readonly #options: FunctionFleetOptions;
  readonly #pool: EnvironmentPool;
  readonly #memory = new MemoryWatch();
  readonly #outputs: FunctionOutput[] = [];
  readonly #sources: SourcePositions;
  #closed = false;

  constructor(options: FunctionFleetOptions) {
    this.#options = options;
    this.#sources = new SourcePositions(options.projectFolder);
    this.#pool = new EnvironmentPool(PROCESS_LIMIT, { spares: options.faults?.kills === true });
    for (const resource of options.resources) this.#functions.set(resource.name, this.#create(resource));
    this.invoker = new AsyncInvoker(options.clock, {
      // What is cut off at the end is told as a number, not one by one.
      onAttempt: (event, outcome, plan) => {
        if (!this.#closed) this.#record(event, outcome, plan);
      },
      onThrottled: (event, nextAt) => {
        if (!this.#closed) this.#throttled(event, nextAt);
      },
      onDiscarded: (event, outcome, record) => {
        if (!this.#closed) this.#discard(event, outcome, record);
      },
    });
  }

  get functions(): ReadonlyMap<string, LambdaFunction> {
    return this.#functions;
  }

  /** Takes changed functions over, adds new ones and forgets those that are gone. */
  async update(resources: readonly FunctionResource[], changed: ReadonlySet<string>): Promise<void> {
    for (const resource of resources) {
      const known = this.#functions.get(resource.name);
      if (known === undefined) this.#functions.set(resource.name, this.#create(resource));
      else if (changed.has(resource.name)) await known.replace(resource);
    }
    const names = new Set(resources.map(({ name }) => name));
    for (const name of this.#functions.keys()) {
      if (names.has(name)) continue;
      this.#functions.delete(name);
      await this.#pool.retire(name);
    }
  }

  /** The function of an ARN, with or without a qualifier. */
  byArn(arn: string): LambdaFunction | undefined {
    const [name = ''] = arn.split(':').slice(6);
    return this.#functions.get(name);
  }

  /**
   * Starts nothing any more, waits for what runs and for what comes `after` it, and ends all processes.
   * @returns how many invocations were cut off at the limit
   */
  async drain(limitMs: number, after: () => Promise<void> = async () => {}): Promise<number> {
    const drained = this.invoker.drain().then(after);
    const timer = new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), limitMs).unref());
    const cutOff = (await Promise.race([drained, timer])) === 'late' ? this.invoker.inFlight : 0;
    await this.close();
    return cutOff;
  }

  /** Ends all processes at once. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.close();
    this.#memory.close();
    await Promise.all(this.#outputs.map((output) => output.close()));
  }

  #create(resource: FunctionResource): LambdaFunction {
    const { clock, emit, addMetric, endpoints, logFile, faults, compileCache } = this.#options;
    const output = new FunctionOutput({ file: logFile(resource.name), emit, addMetric });
    this.#outputs.push(output);
    return new LambdaFunction({
      resource,
      clock,
      pool: this.#pool,
      memory: this.#memory,
      endpoints,
      onLine: (line) => output.line(this.#sources.translate(line)),
      compileCache,
      ...(faults === undefined ? {} : { faults }),
    });
  }

  #throttled(event: AsyncEvent, nextAt: number | undefined): void {
    const { addMetric, clock, emit } = this.#options;
    const { name, job, reservedConcurrency } = event.function.resource;
    for (const dimensions of [{ FunctionName: name }, {}])
      addMetric({ namespace: 'AWS/Lambda', name: 'Throttles', dimensions, value: 1, at: clock.now() });
    if (event.throttled > 0 && nextAt !== undefined) return;
    const then = nextAt === undefined ? 'gives the event up' : 'tries again until it is not';
    const text = `${job?.name ?? name} is throttled: ${reservedConcurrency} at once is all it has reserved; Lambda ${then}`;
    emit({ type: 'note', level: 'warn', text });
  }

  #record(event: AsyncEvent, outcome: InvocationOutcome, plan: AsyncPlan): void {
    const { addMetric, clock, emit } = this.#options;
    const { name, job } = event.function.resource;
    const at = clock.now();
    const add = (metric: string, value: number) => {
      for (const dimensions of [{ FunctionName: name }, {}])
        addMetric({ namespace: 'AWS/Lambda', name: metric, dimensions, value, at });
    };
    add('Invocations', 1);
    add('Errors', outcome.ok ? 0 : 1);
    add('Duration', outcome.durationMs);
    if (outcome.ok) return;
    const { errorType, errorMessage } = readErrorPayload(outcome.payload);
    const place = placeIn(this.#sources.translate(readErrorStack(outcome.payload)));
    const where = place === undefined ? '' : ` (${place})`;
    const what = { error: 'failed', timeout: 'timed out', exit: 'crashed', init: 'does not load' }[outcome.failure];
    const then = plan.next === 'retry' ? `; Lambda tries again at ${new Date(plan.at).toISOString()}` : '';
    emit({
      type: 'note',
      level: 'error',
      text: `${job?.name ?? name} ${what} (attempt ${event.attempt}): ${errorType}: ${errorMessage}${where}${then}`,
    });
  }

  /** What is given up goes to the dead-letter queue as it is, and to the on-failure destination as a record. */
  #discard(event: AsyncEvent, outcome: InvocationOutcome, record: object): void {
    const { queues } = this.#options;
    const { name, deadLetterArn, asyncInvoke } = event.function.resource;
    if (deadLetterArn !== undefined) {
      const attributes = {
        RequestID: event.requestId,
        ErrorCode: '200',
        ErrorMessage: readErrorPayload(outcome.payload).errorMessage.slice(0, 1_024),
      };
      if (queues.sendTo(deadLetterArn, event.payload, attributes) === undefined) this.#notRun(deadLetterArn, name);
    }
    const { onFailureArn } = asyncInvoke;
    if (onFailureArn === undefined) return;
    const target = this.byArn(onFailureArn);
    if (target !== undefined) this.invoker.accept(target, JSON.stringify(record));
    else if (queues.sendTo(onFailureArn, JSON.stringify(record)) === undefined) this.#notRun(onFailureArn, name);
  }

  #notRun(arn: string, name: string): void {
    const text = `an event that ${name} could not handle goes to ${arn}, which is not run locally: it is in no queue`;
    this.#options.emit({ type: 'note', level: 'warn', text });
  }
}
