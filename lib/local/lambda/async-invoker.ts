import { randomUUID } from 'node:crypto';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import { type InvocationOutcome, readErrorPayload } from './invocation-outcome.ts';
import type { LambdaFunction } from './lambda-function.ts';

/** Lambda waits about one minute before the first retry of an asynchronous event and two before the second. */
const RETRY_DELAYS_MS = [60_000, 120_000];

export interface AsyncEvent {
  readonly function: LambdaFunction;
  readonly payload: string;
  /** The same for every attempt, as on AWS. */
  readonly requestId: string;
  readonly acceptedAt: number;
  readonly attempt: number;
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

export interface AsyncInvokerEvents {
  readonly onAttempt: (event: AsyncEvent, outcome: InvocationOutcome, plan: AsyncPlan) => void;
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
    const event = { function: target, payload, requestId: randomUUID(), acceptedAt: this.#clock.now(), attempt: 1 };
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
    const running = event.function
      // A retry counts from when the attempt ended: the clock waits until that is settled.
      .invoke(event.requestId, event.payload, (outcome) => this.#follow(event, outcome))
      .then(() => void this.#inFlight.delete(running));
    this.#inFlight.add(running);
  }

  #follow(event: AsyncEvent, outcome: InvocationOutcome): void {
    const now = this.#clock.now();
    const plan = planAsyncRetry(outcome, event, event.function.resource.asyncInvoke, now);
    this.#events.onAttempt(event, outcome, plan);
    if (plan.next === 'retry') {
      this.#clock.schedule(plan.at, () => this.#attempt({ ...event, attempt: event.attempt + 1 }));
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
