import { BelfryError } from '../../lib/domain/errors.ts';
import { formatInstant } from '../../lib/domain/time/instant.ts';
import type { Attempt } from './attempt.ts';
import { attemptEnded } from './attempt-errors.ts';
import { asJson } from './checkpoints.ts';
import type { Continuation, JobRun, Json, RunLog, RunMetrics, RunWindow, Saved } from './job-run.ts';

/** Beside the run's completion, in one DynamoDB transaction of at most 100. */
const MOST_ITEMS = 99;
const PROGRESS_EVERY_MS = 15_000;
/** With automatic continuation: no new step begins with less than this share of the running time left. */
const LAST_SHARE = 0.2;

/** Carried by what `continueLater` returns. */
export class ContinuationRequest {
  readonly state: Json | undefined;
  constructor(state: Json | undefined) {
    this.state = state;
  }
}

/** Ends a handler that continues automatically. It is thrown through the handler; catching it changes nothing. */
export class EndOfSegment extends Error {
  override readonly name = 'EndOfSegment';
}

/** The `run` that a handler sees, over the attempt that does the writing. */
export function createRun(attempt: Attempt): JobRun {
  return new AttemptRun(attempt);
}

/**
 * Everything is made when it is asked for: most handlers ask for little of it, and each run pays for what is made. The
 * methods come from getters so that a handler can take them apart: `({ step, commit }) => ...`.
 */
class AttemptRun implements JobRun {
  readonly #attempt: Attempt;
  #names: Set<string> | undefined;
  #progressSavedAt: number | undefined;
  #localTime: string | undefined;
  #log: RunLog | undefined;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
  }

  get jobName() {
    return this.#attempt.claim.job;
  }

  get attempt() {
    return this.#attempt.claim.attempt;
  }

  get trigger() {
    return this.#attempt.claim.trigger;
  }

  get lateness() {
    return this.#attempt.startedAt - this.#attempt.claim.scheduledTime;
  }

  get isCatchUp() {
    return this.trigger === 'catchUp';
  }

  get fencingToken() {
    return this.#attempt.claim.fencingToken;
  }

  get state() {
    return this.#attempt.checkpoint.state;
  }

  get scheduledTime() {
    return new Date(this.#attempt.claim.scheduledTime);
  }

  get deadline() {
    return new Date(this.#attempt.deadline);
  }

  get signal() {
    return this.#attempt.signal;
  }

  get idempotencyKey() {
    const { claim, dependencies } = this.#attempt;
    return `${dependencies.scheduler}/${this.jobName}@${formatInstant(claim.scheduledTime)}`;
  }

  get localTime() {
    this.#localTime ??= formatLocal(this.#attempt.claim.scheduledTime, this.#attempt.dependencies.job.timeZone);
    return this.#localTime;
  }

  get log() {
    this.#log ??= createLog(this.#attempt);
    return this.#log;
  }

  get metrics(): RunMetrics {
    const { metrics } = this.#attempt;
    return { add: (name, value, unit = 'Count') => metrics.add(name, value, unit) };
  }

  get window() {
    return windowOf(this.#attempt);
  }

  get commit(): JobRun['commit'] {
    return async (items, options = {}) => {
      if (items.length > MOST_ITEMS) throw tooManyItems(this.jobName, items.length);
      await this.#attempt.commit(items, options.result);
    };
  }

  get step(): JobRun['step'] {
    return (name, work) => this.#step(name, work);
  }

  async #step<Value>(name: string, work: () => Value | Promise<Value>): Promise<Saved<Value>> {
    const attempt = this.#attempt;
    const { job } = attempt.dependencies;
    this.#names ??= new Set();
    if (this.#names.has(name)) throw stepRepeated(job.name, name);
    this.#names.add(name);
    if (attempt.checkpoint.has(name)) return attempt.checkpoint.get(name) as Saved<Value>;
    if (attempt.settled || attempt.committed) throw attemptEnded(job.name, `step '${name}'`);
    if (job.continuation === 'auto' && this.#names.size > 1 && timeIsShort(attempt)) throw new EndOfSegment();
    const value = asJson(await work(), `the value of step '${name}' of job '${job.name}'`);
    attempt.checkpoint.add(name, value, job.name);
    await attempt.save();
    return value as Saved<Value>;
  }

  get progress(): JobRun['progress'] {
    return async (done, total) => {
      const attempt = this.#attempt;
      attempt.progress = `${done}/${total}`;
      const took = attempt.tookMs();
      if (took - (this.#progressSavedAt ?? 0) < PROGRESS_EVERY_MS || attempt.settled || attempt.committed) return;
      this.#progressSavedAt = took;
      await attempt.persist(() => attempt.renew());
    };
  }

  get continueLater(): JobRun['continueLater'] {
    return (state) =>
      new ContinuationRequest(asJson(state, `the state of job '${this.jobName}'`)) as unknown as Continuation;
  }
}

function windowOf({ claim, dependencies, windowFrom }: Attempt): RunWindow {
  if (dependencies.job.overlap === 'allow') {
    throw new BelfryError(
      'WindowNeedsOrder',
      `job '${claim.job}' reads run.window but has overlap 'allow', whose runs have no order: use 'skip', 'bufferOne' or 'cancelOther'`,
    );
  }
  const to = new Date(claim.scheduledTime);
  // A run that comes after a later one has succeeded finds its work done: its window is empty.
  const from = windowFrom === undefined ? undefined : new Date(Math.min(windowFrom, claim.scheduledTime));
  return { from, to };
}

function timeIsShort(attempt: Attempt): boolean {
  const used = attempt.runningTimeMs - (attempt.timeLeft() - attempt.times.reserveMs);
  return used > attempt.runningTimeMs * (1 - LAST_SHARE);
}

function createLog(attempt: Attempt): RunLog {
  const { claim, context, dependencies } = attempt;
  const write =
    (level: string) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      const at = new Date(dependencies.clock.now()).toISOString();
      const identity = {
        job: claim.job,
        scheduledTime: formatInstant(claim.scheduledTime),
        attempt: claim.attempt,
        requestId: context.awsRequestId,
      };
      dependencies.print(JSON.stringify({ event: 'log', level, message, ...fields, ...identity, at }));
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

function formatLocal(instant: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  }).formatToParts(instant);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  const offset = part('timeZoneName').replace('GMT', '') || '+00:00';
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}:${part('second')}${offset}`;
}

function tooManyItems(job: string, count: number): BelfryError {
  return new BelfryError(
    'TooManyItems',
    `run.commit of job '${job}' got ${count} items: one transaction takes at most ${MOST_ITEMS} beside the run itself; commit the ones that must not be repeated, and make the others safe to repeat`,
  );
}

function stepRepeated(job: string, name: string): BelfryError {
  return new BelfryError(
    'StepRepeated',
    `job '${job}' uses the step name '${name}' twice in one attempt, so one would get the value of the other: give each step its own name, in a loop one that contains what it works on`,
  );
}
