import type { Model, Step } from './checker.ts';

interface Invocation {
  readonly running: boolean;
  readonly startedAt: number;
  readonly body: boolean;
  /** By how much its clock is off. */
  readonly error: number;
}

interface ClockState {
  readonly now: number;
  readonly leaseExpiresAt: number | undefined;
  readonly invocations: readonly Invocation[];
}

export interface ClockModelOptions {
  readonly timeout: number;
  readonly grace: number;
  readonly margin: number;
  /** Clocks are off by at most this much, either way. */
  readonly clockError: number;
  /** Lambda ends an invocation at most this long after its timeout. */
  readonly killDelay: number;
  readonly until: number;
}

/** Two invocations of one run with wrong clocks, in whole units of time: are two bodies ever alive at one instant? */
export function clockModel(options: ClockModelOptions): Model<ClockState> {
  const errors = Array.from({ length: 2 * options.clockError + 1 }, (_, i) => i - options.clockError);
  const idle = (error: number): Invocation => ({ running: false, startedAt: 0, body: false, error });

  function next(state: ClockState): Step<ClockState>[] {
    if (state.now >= options.until) return [];
    const steps: Step<ClockState>[] = [];
    const mayPass = state.invocations.every(
      ({ running, startedAt }) => !running || state.now - startedAt < options.timeout + options.killDelay,
    );
    if (mayPass) steps.push({ label: 'time passes', state: { ...state, now: state.now + 1 } });
    for (const [index, one] of state.invocations.entries()) {
      const become = (label: string, change: Invocation, leaseExpiresAt = state.leaseExpiresAt) => {
        const invocations = state.invocations.with(index, change);
        steps.push({ label: `${state.now}: ${index} ${label}`, state: { ...state, invocations, leaseExpiresAt } });
      };
      if (!one.running) {
        become('starts', { ...one, running: true, startedAt: state.now });
        continue;
      }
      const shown = state.now + one.error;
      const remaining = options.timeout - (state.now - one.startedAt);
      const free = state.leaseExpiresAt === undefined || state.leaseExpiresAt < shown - options.margin;
      if (!one.body && remaining >= 0 && free)
        become('claims', { ...one, body: true }, shown + remaining + options.grace);
      if (remaining <= 0) become('is killed', idle(one.error));
      become('crashes', idle(one.error));
    }
    return steps;
  }

  return {
    initial: errors.flatMap((left) =>
      errors.map((right) => ({ now: 0, leaseExpiresAt: undefined, invocations: [idle(left), idle(right)] })),
    ),
    next,
    key: ({ now, leaseExpiresAt, invocations }) =>
      [
        now,
        leaseExpiresAt,
        ...invocations
          .map(({ running, body, startedAt, error }) => [running, body, running ? startedAt : 0, error].join())
          .sort(),
      ].join('|'),
    invariants: {
      'two bodies are never alive at once': ({ invocations }) => invocations.filter(({ body }) => body).length <= 1,
    },
    done: ({ now }) => now >= options.until,
  };
}
