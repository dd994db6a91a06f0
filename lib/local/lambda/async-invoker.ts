import { randomUUID } from 'node:crypto';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import { errorPayload, type InvocationOutcome, readErrorPayload } from './invocation-outcome.ts';
import type { LambdaFunction } from './lambda-function.ts';

/** Lambda waits about one minute before the first retry of an asynchronous event and two before the second. */
const RETRY_DELAYS_MS = [60_000, 120_000];

/** A throttled event is tried again after a second, then after twice as long each time, up to five minutes. */
const THROTTLED_DELAY_MS = 1_000;
const LONGEST_THROTTLED_DELAY_MS = 300_000;

export interface AsyncEvent {
  readonly function: LambdaFunction;
  readonly payload: string;
  /** The same for every attempt, as on AWS. */
  readonly requestId: string;
  readonly acceptedAt: number;
  readonly attempt: number;
  /** How often the function had no concurrency left for this attempt. */
  readonly throttled: number;
}

/** What follows an attempt at an asynchronous event. */
export type AsyncPlan =
  | { readonly next: 'done' }
  | { readonly next: 'retry'; readonly at: number }
  | { readonly next: 'discard'; readonly condition: 'RetriesExhausted' | 'EventAgeExceeded' };

export function planAsyncRetry(
  outcome: Pick<InvocationOutcome, 'ok'>,
  event: Pick<AsyncEvent, 'attempt' | 'acceptedAt'>,
  limits: { readonly maximumRetryAttempts: number; readonly maximumEventAgeMs: number },
  now: number,
): AsyncPlan {
  if (outcome.ok) return { next: 'done' };
  if (event.attempt > limits.maximumRetryAttempts) return { next: 'discard', condition: 'RetriesExhausted' };
  const at = now + (RETRY_DELAYS_MS[event.attempt - 1] ?? RETRY_DELAYS_MS[1] ?? 0);
  if (at - event.acceptedAt > limits.maximumEventAgeMs) return { next: 'discard', condition: 'EventAgeExceeded' };
  return { next: 'retry', at };
}

/** What follows when a function has no concurrency left: that counts as no attempt. */
export function planThrottled(
  event: Pick<AsyncEvent, 'throttled' | 'acceptedAt'>,
  limits: { readonly maximumEventAgeMs: number },
  now: number,
): Exclude<AsyncPlan, { readonly next: 'done' }> {
  const at = now + Math.min(THROTTLED_DELAY_MS * 2 ** event.throttled, LONGEST_THROTTLED_DELAY_MS);
  if (at - event.acceptedAt > limits.maximumEventAgeMs) return { next: 'discard', condition: 'EventAgeExceeded' };
  return { next: 'retry', at };
}

export interface AsyncInvokerEvents {
  readonly onAttempt: (event: AsyncEvent, outcome: InvocationOutcome, plan: AsyncPlan) => void;
  /** The function has no concurrency left: it is tried again at this instant, if at all. */
  readonly onThrottled: (event: AsyncEvent, nextAt: number | undefined) => void;
  /** The event is given up; `record` is what an on-failure destination gets. */
  readonly onDiscarded: (event: AsyncEvent, outcome: InvocationOutcome, record: object) => void;
}

/** Lambda's queue of asynchronous events: accepts at once, invokes, tries again on the clock. */
export class AsyncInvoker {
  readonly #clock: VirtualClock;
  readonly #events: AsyncInvokerEvents;
  readonly #inFlight = new Set<Promise<void>>();
  #accepting = true;

  constructor(clock: VirtualClock, events: AsyncInvokerEvents) {
    this.#clock = clock;
    this.#events = events;
  }

  /** Invocations that are running now. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Accepts an event; returns its request id. */
  accept(target: LambdaFunction, payload: string): string {
    const acceptedAt = this.#clock.now();
    const event = { function: target, payload, requestId: randomUUID(), acceptedAt, attempt: 1, throttled: 0 };
    this.#attempt(event);
    return event.requestId;
  }

  /** Starts nothing any more, and resolves when what is running has ended. */
  async drain(): Promise<void> {
    this.#accepting = false;
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  #attempt(event: AsyncEvent): void {
    if (!this.#accepting) return;
    if (event.function.isThrottled) {
      this.#throttle(event);
      return;
    }
    const running = event.function
      // A retry counts from when the attempt ended: the clock waits until that is settled.
      .invoke(event.requestId, event.payload, (outcome) => this.#follow(event, outcome))
      .then(() => void this.#inFlight.delete(running));
    this.#inFlight.add(running);
  }

  #throttle(event: AsyncEvent): void {
    const now = this.#clock.now();
    const plan = planThrottled(event, event.function.resource.asyncInvoke, now);
    this.#events.onThrottled(event, plan.next === 'retry' ? plan.at : undefined);
    if (plan.next === 'retry') {
      this.#clock.schedule(plan.at, () => this.#attempt({ ...event, throttled: event.throttled + 1 }));
      return;
    }
    const payload = errorPayload('TooManyRequestsException', 'Rate Exceeded.');
    const outcome = { ok: false, failure: 'error', payload, durationMs: 0, maxMemoryMb: 0 } as const;
    this.#events.onDiscarded(event, outcome, failureRecord(event, outcome, plan.condition, now));
  }

  #follow(event: AsyncEvent, outcome: InvocationOutcome): void {
    const now = this.#clock.now();
    const plan = planAsyncRetry(outcome, event, event.function.resource.asyncInvoke, now);
    this.#events.onAttempt(event, outcome, plan);
    if (plan.next === 'retry') {
      this.#clock.schedule(plan.at, () => this.#attempt({ ...event, attempt: event.attempt + 1, throttled: 0 }));
    }
    if (plan.next === 'discard')
      this.#events.onDiscarded(event, outcome, failureRecord(event, outcome, plan.condition, now));
  }
}

function failureRecord(event: AsyncEvent, outcome: InvocationOutcome, condition: string, now: number): object {
  return {
    version: '1.0',
    timestamp: new Date(now).toISOString(),
    requestContext: {
      requestId: event.requestId,
      functionArn: `${event.function.resource.arn}:$LATEST`,
      condition,
      approximateInvokeCount: event.attempt,
    },
    requestPayload: parseOrText(event.payload),
    responseContext: {
      statusCode: 200,
      executedVersion: '$LATEST',
      ...(outcome.ok ? {} : { functionError: 'Unhandled' }),
    },
    responsePayload: readErrorPayload(outcome.payload),
  };
}

function parseOrText(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}
