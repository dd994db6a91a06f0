import type { ClockHold } from '../clock/virtual-clock.ts';
import type { ExecutionEnvironment } from './execution-environment.ts';

/** A process idle for longer is ended, as Lambda ends its own: it holds memory. Longer than a job of every minute rests. */
const IDLE_MS = 90_000;
const LOOK_EVERY_MS = 15_000;

interface Idle {
  readonly owner: string;
  readonly environment: ExecutionEnvironment;
  /** Real time, of the monotonic clock. */
  readonly since: number;
}

/**
 * The processes of all functions. A function's process is used again while it lives; at most `limit` live at once. When
 * the machine is full, the one idle for longest makes room, and when none is idle, invocations wait their turn.
 */
export class EnvironmentPool {
  readonly #limit: number;
  readonly #spares: boolean;
  /** Idle processes: spare ones first, then the one idle for longest. */
  readonly #idle: Idle[] = [];
  readonly #busy = new Map<ExecutionEnvironment, string>();
  /** Busy processes that nobody may use again. */
  readonly #retiring = new WeakSet<ExecutionEnvironment>();
  readonly #waiting: (() => void)[] = [];
  #closed = false;
  /** Processes being started, which count as living. */
  #starting = 0;
  /** Counts changes of code: a spare process that was begun before is of no use. */
  #codeChanges = 0;

  readonly #reaper: NodeJS.Timeout;

  /**
   * @param options.spares has another process ready for each owner in use, because processes get lost all the time:
   * cold starts are then no wait, at the price of the memory
   */
  constructor(limit: number, options: { readonly spares?: boolean } = {}) {
    this.#limit = limit;
    this.#spares = options.spares ?? false;
    this.#reaper = setInterval(() => this.#reap(), LOOK_EVERY_MS).unref();
  }

  /** Processes that run an invocation of `owner` now. */
  busy(owner: string): ExecutionEnvironment[] {
    return [...this.#busy].filter(([, of]) => of === owner).map(([environment]) => environment);
  }

  /** @param hold rests while the machine is full, so that what only waits for timers is not kept waiting by that */
  async acquire(
    owner: string,
    start: () => Promise<ExecutionEnvironment>,
    hold?: ClockHold,
  ): Promise<ExecutionEnvironment> {
    for (;;) {
      if (this.#closed) throw new Error('the runtime is stopping');
      const warm = this.#takeIdle(owner);
      if (warm !== undefined) {
        this.#busy.set(warm, owner);
        this.#prepareSpare(owner, start);
        return warm;
      }
      if (this.#living < this.#limit || this.#evict()) break;
      await new Promise<void>((resolve) => {
        // Bound again before whoever made room lets the clock go.
        this.#waiting.push(() => {
          hold?.wake();
          resolve();
        });
        hold?.rest(undefined, () => {});
      });
    }
    this.#starting++;
    try {
      const cold = await start();
      if (this.#closed) {
        await cold.close();
        throw new Error('the runtime is stopping');
      }
      this.#busy.set(cold, owner);
      this.#prepareSpare(owner, start);
      return cold;
    } catch (error) {
      this.#waiting.shift()?.();
      throw error;
    } finally {
      this.#starting--;
    }
  }

  release(environment: ExecutionEnvironment): void {
    const owner = this.#busy.get(environment);
    this.#busy.delete(environment);
    if (this.#retiring.has(environment)) environment.kill();
    else if (owner !== undefined && environment.alive)
      this.#idle.push({ owner, environment, since: performance.now() });
    this.#waiting.shift()?.();
  }

  /** Ends the processes of `owner`, the busy ones when they are done: its code has changed. */
  async retire(owner: string): Promise<void> {
    this.#codeChanges++;
    const retired = this.#idle.filter((entry) => entry.owner === owner);
    for (const entry of retired) this.#idle.splice(this.#idle.indexOf(entry), 1);
    for (const environment of this.busy(owner)) this.#retiring.add(environment);
    await Promise.all(retired.map(({ environment }) => environment.close()));
  }

  /** Ends every process, busy ones included, and resolves when all they had printed was read. */
  async close(): Promise<void> {
    clearInterval(this.#reaper);
    this.#closed = true;
    for (const wake of this.#waiting.splice(0)) wake();
    const all = [...this.#idle.map(({ environment }) => environment), ...this.#busy.keys()];
    this.#idle.length = 0;
    await Promise.all(all.map((environment) => environment.close()));
  }

  async #prepareSpare(owner: string, start: () => Promise<ExecutionEnvironment>): Promise<void> {
    if (!this.#spares || this.#living >= this.#limit || this.#idle.some((entry) => entry.owner === owner)) return;
    const codeChanges = this.#codeChanges;
    this.#starting++;
    try {
      const environment = await start();
      if (this.#closed || codeChanges !== this.#codeChanges) await environment.close();
      // As the coldest: what has run already is faster.
      else this.#idle.unshift({ owner, environment, since: performance.now() });
    } catch {
      // Whoever needs a process is told what is wrong.
    } finally {
      this.#starting--;
      this.#waiting.shift()?.();
    }
  }

  get #living(): number {
    return this.#idle.length + this.#busy.size + this.#starting;
  }

  #takeIdle(owner: string): ExecutionEnvironment | undefined {
    for (;;) {
      const index = this.#idle.findLastIndex((entry) => entry.owner === owner);
      if (index < 0) return undefined;
      const [entry] = this.#idle.splice(index, 1);
      if (entry?.environment.alive === true) return entry.environment;
    }
  }

  #reap(): void {
    const oldest = performance.now() - IDLE_MS;
    for (const entry of this.#idle.filter(({ since }) => since < oldest)) {
      this.#idle.splice(this.#idle.indexOf(entry), 1);
      entry.environment.kill();
    }
  }

  #evict(): boolean {
    const entry = this.#idle.shift();
    entry?.environment.kill();
    return entry !== undefined;
  }
}
