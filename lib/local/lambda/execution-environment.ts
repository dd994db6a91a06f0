import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import { errorPayload, type InvocationOutcome, type Meters } from './invocation-outcome.ts';
import type { MemoryWatch } from './memory-watch.ts';
import { type HandedInvocation, RuntimeApi, type RuntimeApiEvents } from './runtime-api.ts';

export interface ExecutionEnvironmentOptions {
  /** Folder with the function's code: the working directory. */
  readonly codePath: string;
  readonly functionArn: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** The whole environment of the process, given the Runtime API's address: nothing is inherited. */
  readonly variables: (runtimeApi: string) => Record<string, string>;
  readonly clock: VirtualClock;
  readonly memory: MemoryWatch;
  readonly onLine: (line: string) => void;
  /** Folder in which Node keeps compiled code, which makes the next start faster. */
  readonly compileCache?: string;
  /** How far this process's clock is off, milliseconds. */
  readonly skew: number;
  /** The process has just been given an event. */
  readonly onHandedOver: (requestId: string, payload: string, environment: ExecutionEnvironment) => void;
}

/** AWS gives the code outside the handler this long, whatever the function's timeout is. */
const INIT_TIMEOUT_MS = 10_000;
/** How long to wait for the last lines of a process that ended while something else keeps its output open. */
const LAST_LINES_MS = 200;

interface Flight {
  readonly invocation: HandedInvocation;
  readonly resolve: (outcome: InvocationOutcome) => void;
  readonly startedAt: number;
  readonly timer: NodeJS.Timeout;
}

/** One process that runs a function's code, one invocation at a time, under AWS's runtime client. */
export class ExecutionEnvironment {
  readonly #options: ExecutionEnvironmentOptions;
  readonly #api: RuntimeApi;
  readonly #child: ChildProcess;
  /** Resolves with the failure, if the code outside the handler did not come up. */
  readonly #initialised: Promise<string | undefined>;
  readonly #closed: Promise<void>;
  #hand: ((invocation: HandedInvocation) => void) | undefined;
  #flight: Flight | undefined;
  #timedOut = false;
  #ended = false;
  #maxMemoryMb = 0;

  private constructor(options: ExecutionEnvironmentOptions, api: RuntimeApi, events: MutableEvents) {
    this.#options = options;
    this.#api = api;
    let initialised: (failure?: string) => void = () => {};
    this.#initialised = new Promise((resolve) => {
      initialised = resolve;
    });
    events.next = (hand) => {
      initialised();
      this.#hand = hand;
      this.#handOver();
    };
    events.response = (requestId, payload) => {
      if (requestId === this.#flight?.invocation.requestId)
        this.#settle((meters) => ({ ok: true, payload, ...meters }));
    };
    events.error = (requestId, payload) => {
      if (requestId !== this.#flight?.invocation.requestId) return;
      this.#settle((meters) => ({ ok: false, failure: 'error', payload, ...meters }));
    };
    events.initError = initialised;

    const bootstrap = fileURLToPath(
      import.meta.resolve(`./bootstrap${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`),
    );
    const { clock, skew, compileCache } = options;
    const parameters = [String(clock.offset + skew), ...(compileCache === undefined ? [] : [compileCache])];
    this.#child = spawn(process.execPath, [...heapFlags(options.memoryMb), bootstrap, ...parameters], {
      cwd: options.codePath,
      env: options.variables(api.address),
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own: Ctrl-C in the terminal is the runtime's to handle, and a kill takes grandchildren along.
      detached: true,
    });
    this.#child.stdin?.on('error', () => {});
    for (const pipe of [this.#child.stdout, this.#child.stderr]) {
      if (pipe !== null) createInterface({ input: pipe }).on('line', options.onLine);
    }
    this.#closed = new Promise((resolve) => {
      this.#child.once('close', () => resolve());
      this.#child.once('error', () => resolve());
    });
    const exited = (how: string) => this.#onExit(how, initialised);
    this.#child.once('error', (error) => exited(`could not start: ${error.message}`));
    this.#child.once('exit', (code, signal) =>
      exited(signal === null ? `exit status ${code}` : `signal: ${signalName(signal)}`),
    );

    const initTimer = setTimeout(() => {
      initialised(errorPayload('Sandbox.Timedout', `Init timed out after ${seconds(INIT_TIMEOUT_MS)} seconds`));
      this.kill();
    }, INIT_TIMEOUT_MS);
    this.#initialised.then(() => clearTimeout(initTimer));
  }

  static async start(options: ExecutionEnvironmentOptions): Promise<ExecutionEnvironment> {
    const events: MutableEvents = { next: () => {}, response: () => {}, error: () => {}, initError: () => {} };
    const api = await RuntimeApi.listen({
      next: (hand) => events.next(hand),
      response: (requestId, body) => events.response(requestId, body),
      error: (requestId, body) => events.error(requestId, body),
      initError: (body) => events.initError(body),
    });
    return new ExecutionEnvironment(options, api, events);
  }

  /** False when the process is gone: another one has to serve the next invocation. */
  get alive(): boolean {
    return !this.#ended;
  }

  /** The invocation that the process is at, if any. */
  get requestId(): string | undefined {
    return this.#flight?.invocation.requestId;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Runs one invocation. Resolves however it ends, and never rejects. */
  async invoke(requestId: string, payload: string): Promise<InvocationOutcome> {
    const initFailure = await this.#initialised;
    if (initFailure !== undefined) {
      await this.close();
      return { ok: false, failure: 'init', payload: initFailure, durationMs: 0, maxMemoryMb: this.#maxMemoryMb };
    }
    const { clock, functionArn, timeoutMs, skew } = this.#options;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#timedOut = true;
        this.kill();
      }, timeoutMs);
      this.#flight = {
        invocation: {
          requestId,
          payload,
          functionArn,
          deadline: clock.now() + timeoutMs,
          clockOffset: clock.offset + skew,
        },
        resolve,
        startedAt: performance.now(),
        timer,
      };
      if (this.pid !== undefined) this.#options.memory.add(this.pid, (memoryMb) => this.#limitMemory(memoryMb));
      if (this.#ended) this.#settleExit('exit status 0');
      else this.#handOver();
    });
  }

  /** Ends the process and all it started, at once. */
  kill(): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      this.#child.kill('SIGKILL');
    }
  }

  /** Ends the process. Resolves when all it had printed was read. */
  async close(): Promise<void> {
    this.kill();
    await Promise.race([this.#closed, new Promise((resolve) => setTimeout(resolve, LAST_LINES_MS).unref())]);
  }

  #handOver(): void {
    if (this.#hand === undefined || this.#flight === undefined) return;
    const { requestId, payload } = this.#flight.invocation;
    this.#hand(this.#flight.invocation);
    this.#hand = undefined;
    this.#options.onHandedOver(requestId, payload, this);
  }

  #limitMemory(memoryMb: number): void {
    this.#maxMemoryMb = Math.max(this.#maxMemoryMb, memoryMb);
    if (memoryMb > this.#options.memoryMb) this.kill();
  }

  #settle(outcome: (meters: Meters) => InvocationOutcome): void {
    const flight = this.#flight;
    if (flight === undefined) return;
    this.#flight = undefined;
    clearTimeout(flight.timer);
    if (this.pid !== undefined) this.#maxMemoryMb = Math.max(this.#maxMemoryMb, this.#options.memory.remove(this.pid));
    const settled = outcome({ durationMs: performance.now() - flight.startedAt, maxMemoryMb: this.#maxMemoryMb });
    // One turn later, what the process printed before it answered has been read.
    setImmediate(() => flight.resolve(settled));
  }

  #settleExit(how: string): void {
    const requestId = this.#flight?.invocation.requestId;
    this.#settle((meters) =>
      this.#timedOut
        ? {
            ok: false,
            failure: 'timeout',
            payload: errorPayload(
              'Sandbox.Timedout',
              `RequestId: ${requestId} Error: Task timed out after ${seconds(this.#options.timeoutMs)} seconds`,
            ),
            ...meters,
          }
        : {
            ok: false,
            failure: 'exit',
            payload: errorPayload(
              'Runtime.ExitError',
              `RequestId: ${requestId} Error: Runtime exited with error: ${how}`,
            ),
            ...meters,
          },
    );
  }

  async #onExit(how: string, initialised: (failure: string) => void): Promise<void> {
    this.#ended = true;
    this.#api.close();
    initialised(errorPayload('Runtime.ExitError', `Runtime exited with error: ${how}`));
    await Promise.race([this.#closed, new Promise((resolve) => setTimeout(resolve, LAST_LINES_MS))]);
    this.#settleExit(how);
  }
}

type MutableEvents = { -readonly [Name in keyof RuntimeApiEvents]: RuntimeApiEvents[Name] };

/**
 * V8 sizes its heap by the memory it sees: on Lambda the function's, here all of the machine's. Told so, it collects its
 * garbage in time instead of growing over the function's limit.
 */
function heapFlags(memoryMb: number): string[] {
  return [
    `--max-semi-space-size=${Math.max(1, Math.round(memoryMb * 0.05))}`,
    `--max-old-space-size=${Math.max(64, Math.round(memoryMb * 0.6))}`,
  ];
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(2);
}

function signalName(signal: NodeJS.Signals): string {
  return signal === 'SIGKILL' ? 'killed' : signal;
}
