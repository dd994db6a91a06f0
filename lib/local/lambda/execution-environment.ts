import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClockHold, VirtualClock } from '../clock/virtual-clock.ts';
import { FunctionProcess } from './function-process.ts';
import type { ProcessMessage } from './host-messages.ts';
import { errorPayload, type InvocationOutcome, type Meters } from './invocation-outcome.ts';
import type { MemoryWatch } from './memory-watch.ts';
import { type HandedInvocation, invocationHeaders, RuntimeApi, type RuntimeApiEvents } from './runtime-api.ts';

export interface ExecutionEnvironmentOptions {
  /** Folder with the function's code: the working directory. */
  readonly codePath: string;
  readonly functionArn: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** The whole environment of the process, given the Runtime API's address: nothing is inherited but `TMPDIR`. */
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

interface Flight {
  readonly invocation: HandedInvocation;
  readonly hold: ClockHold;
  readonly resolve: (outcome: InvocationOutcome) => void;
  readonly startedAt: number;
  /** By how much the clock went ahead of real time while the invocation rested, milliseconds. */
  leaptMs: number;
  timer: NodeJS.Timeout;
}

/** One process that runs a function's code, one invocation at a time, under AWS's runtime client. */
export class ExecutionEnvironment {
  readonly #options: ExecutionEnvironmentOptions;
  readonly #api: RuntimeApi;
  /** What stands in for `/tmp`: kept from one invocation to the next, gone with the process. */
  readonly #temporaryFolder: string;
  readonly #process: FunctionProcess;
  /** Resolves with the failure, if the code outside the handler did not come up. */
  readonly #initialised: Promise<string | undefined>;
  #hand: ((invocation: HandedInvocation) => void) | undefined;
  #flight: Flight | undefined;
  #timedOut = false;
  #ended = false;
  #maxMemoryMb = 0;

  private constructor(
    options: ExecutionEnvironmentOptions,
    api: RuntimeApi,
    events: MutableEvents,
    temporaryFolder: string,
  ) {
    this.#options = options;
    this.#api = api;
    this.#temporaryFolder = temporaryFolder;
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
    const { clock, skew, compileCache, codePath, memoryMb, variables, onLine } = options;
    this.#process = new FunctionProcess({
      codePath,
      memoryMb,
      variables: { ...variables(api.address), TMPDIR: temporaryFolder },
      clockOffset: clock.offset + skew,
      ...(compileCache === undefined ? {} : { compileCache }),
      onLine,
      onMessage: (message) => this.#receive(message, events),
      onExit: (how) => this.#onExit(how, initialised),
    });
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
    return new ExecutionEnvironment(options, api, events, await mkdtemp(join(tmpdir(), 'belfry-tmp-')));
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
    return this.#process.pid;
  }

  /**
   * Runs one invocation. Resolves however it ends, and never rejects.
   * @param hold rests while the invocation only waits for timers of its own
   */
  async invoke(requestId: string, payload: string, hold: ClockHold): Promise<InvocationOutcome> {
    const initFailure = await this.#initialised;
    if (initFailure !== undefined) {
      await this.close();
      return { ok: false, failure: 'init', payload: initFailure, durationMs: 0, maxMemoryMb: this.#maxMemoryMb };
    }
    const { clock, functionArn, timeoutMs, skew } = this.#options;
    return new Promise((resolve) => {
      const deadline = clock.now() + timeoutMs;
      const clockOffset = clock.offset + skew;
      this.#flight = {
        invocation: { requestId, payload, functionArn, deadline, clockOffset },
        hold,
        resolve,
        startedAt: performance.now(),
        leaptMs: 0,
        timer: setTimeout(() => this.#timeOut(), timeoutMs),
      };
      if (this.pid !== undefined) this.#options.memory.add(this.pid, (memoryMb) => this.#limitMemory(memoryMb));
      if (this.#ended) this.#settleExit('exit status 0');
      else this.#handOver();
    });
  }

  /** Ends the process and all it started, at once. */
  kill(): void {
    this.#process.kill();
  }

  /** Ends the process. Resolves when all it had printed was read, and nothing of it is left. */
  async close(): Promise<void> {
    this.kill();
    await this.#process.allRead();
    await this.#removeTemporaryFolder();
  }

  #removeTemporaryFolder(): Promise<void> {
    return rm(this.#temporaryFolder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }

  #receive(message: ProcessMessage, events: RuntimeApiEvents): void {
    switch (message.kind) {
      case 'next':
        events.next((invocation) => this.#tellInvocation(invocation));
        break;
      case 'response':
        events.response(message.requestId, message.body);
        break;
      case 'error':
        events.error(message.requestId, message.body);
        break;
      case 'rest':
        this.#rest(message.until - this.#options.skew);
        break;
    }
  }

  #tellInvocation(invocation: HandedInvocation): void {
    const { requestId, payload, clockOffset } = invocation;
    const headers = invocationHeaders(invocation);
    const mayRest = this.#options.clock.speed > 1;
    this.#process.tell({ kind: 'invoke', requestId, payload, headers, clockOffset, mayRest });
  }

  #handOver(): void {
    if (this.#hand === undefined || this.#flight === undefined) return;
    const { requestId, payload } = this.#flight.invocation;
    this.#hand(this.#flight.invocation);
    this.#hand = undefined;
    this.#options.onHandedOver(requestId, payload, this);
  }

  /** The process waits for a timer of its own: the clock may go on until then. */
  #rest(until: number): void {
    const flight = this.#flight;
    if (flight === undefined) return;
    const { clock, skew, timeoutMs } = this.#options;
    const before = clock.offset;
    flight.hold.rest(Math.min(until, flight.invocation.deadline), () => {
      flight.leaptMs += Math.max(0, clock.offset - before);
      const leftMs = timeoutMs - tookMs(flight);
      if (clock.now() >= flight.invocation.deadline || leftMs <= 0) {
        this.#timeOut();
        return;
      }
      clearTimeout(flight.timer);
      flight.timer = setTimeout(() => this.#timeOut(), leftMs);
      this.#process.tell({ kind: 'wake', clockOffset: clock.offset + skew });
    });
  }

  #timeOut(): void {
    this.#timedOut = true;
    this.kill();
  }

  #limitMemory(memoryMb: number): void {
    this.#maxMemoryMb = Math.max(this.#maxMemoryMb, memoryMb);
    if (memoryMb > this.#options.memoryMb) this.kill();
  }

  #settle(outcome: (meters: Meters) => InvocationOutcome): void {
    const flight = this.#flight;
    if (flight === undefined) return;
    this.#flight = undefined;
    flight.hold.wake();
    clearTimeout(flight.timer);
    if (this.pid !== undefined) this.#maxMemoryMb = Math.max(this.#maxMemoryMb, this.#options.memory.remove(this.pid));
    const settled = outcome({ durationMs: tookMs(flight), maxMemoryMb: this.#maxMemoryMb });
    // One turn later, what the process printed before it answered has been read.
    setImmediate(() => flight.resolve(settled));
  }

  #settleExit(how: string): void {
    const requestId = this.#flight?.invocation.requestId;
    const text = this.#timedOut
      ? `Task timed out after ${seconds(this.#options.timeoutMs)} seconds`
      : `Runtime exited with error: ${how}`;
    const payload = errorPayload(
      this.#timedOut ? 'Sandbox.Timedout' : 'Runtime.ExitError',
      `RequestId: ${requestId} Error: ${text}`,
    );
    this.#settle((meters) => ({ ok: false, failure: this.#timedOut ? 'timeout' : 'exit', payload, ...meters }));
  }

  async #onExit(how: string, initialised: (failure: string) => void): Promise<void> {
    this.#ended = true;
    if (this.pid !== undefined) this.#options.memory.forget(this.pid);
    this.#api.close();
    initialised(errorPayload('Runtime.ExitError', `Runtime exited with error: ${how}`));
    await this.#process.allRead();
    this.#settleExit(how);
    await this.#removeTemporaryFolder();
  }
}

type MutableEvents = { -readonly [Name in keyof RuntimeApiEvents]: RuntimeApiEvents[Name] };

/** Milliseconds that the invocation has taken on the virtual clock. */
function tookMs({ startedAt, leaptMs }: Flight): number {
  return performance.now() - startedAt + leaptMs;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(2);
}
