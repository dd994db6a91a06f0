export type Status = 'absent' | 'running' | 'pending' | 'succeeded' | 'failed';

export interface Run {
  status: Status;
  /** Fencing token; here it counts the attempts as well. */
  fence: number;
  token: number;
  /** The lease is not over. */
  live: boolean;
  /** The next attempt is due. */
  due: boolean;
}

export interface Invocation {
  at: 'idle' | 'claiming' | 'working' | 'completing' | 'failing';
  token: number;
  fence: number;
  /** Lambda delivers the event again when this invocation fails. */
  retried: boolean;
  /** Its own lease is not over. */
  live: boolean;
}

/** A request that arrives after its sender has given up. */
export interface LateRequest {
  readonly kind: 'claim' | 'complete' | 'fail';
  readonly token: number;
  readonly fence: number;
}

export interface Left {
  crashes: number;
  losses: number;
  duplicates: number;
  watchdogRaces: number;
  retries: number;
  deletions: number;
}

export interface RunState {
  run: Run;
  invocations: Invocation[];
  late: LateRequest[];
  queued: number;
  /** How often the committed effect was applied. */
  effects: number;
  /** How many bodies came to their end. */
  bodies: number;
  deleted: boolean;
  left: Left;
}

export interface RunModelOptions {
  readonly invocations: number;
  readonly maxAttempts: number;
  readonly crashes: number;
  readonly losses: number;
  readonly duplicates: number;
  readonly watchdogRaces: number;
  readonly retries: number;
  readonly lateRequests: number;
  readonly deletions?: number;
  /** The watchdog delivers when nothing else can happen. Default true. */
  readonly watchdog?: boolean;
  /** The effect is part of the completing transaction. Default true. */
  readonly commit?: boolean;
  /** Mutation: completion has no condition. */
  readonly unfencedComplete?: boolean;
  /** Mutation: a failure deletes the record, without a condition. */
  readonly deleteOnFail?: boolean;
  /** Mutation: duplicates share one claim token, such as the request id. */
  readonly sharedToken?: boolean;
  /** Mutation: a refused claim is always somebody else's doing. */
  readonly ignoresOwnClaim?: boolean;
  /** Clients try until DynamoDB answers. */
  readonly neverGivesUp?: boolean;
  /** The body never fails. */
  readonly neverThrows?: boolean;
  /** Lambda delivers all its retries. */
  readonly neverDrops?: boolean;
  /** Only these invariants and rules are judged. */
  readonly only?: readonly string[];
}

export const IDLE: Invocation = { at: 'idle', token: 0, fence: 0, retried: false, live: false };
export const NO_RUN: Run = { status: 'absent', fence: 0, token: 0, live: false, due: false };
export const finished = ({ status }: Run) => status === 'succeeded' || status === 'failed';
export const holds = ({ at }: Invocation) => at === 'working' || at === 'completing' || at === 'failing';

export function copy(state: RunState): RunState {
  const { run, invocations, late, left } = state;
  return {
    ...state,
    run: { ...run },
    invocations: invocations.map((one) => ({ ...one })),
    late: [...late],
    left: { ...left },
  };
}

/** Invocations are interchangeable, and so are the names of tokens. */
export function keyOf({ run, invocations, late, queued, effects, bodies, deleted, left }: RunState): string {
  const bit = (value: boolean) => (value ? 1 : 0);
  const names = new Map<number, number>([[0, 0]]);
  const nameOf = (token: number) => {
    const known = names.get(token) ?? names.size;
    names.set(token, known);
    return known;
  };
  const runKey = `${run.status[0]}${run.fence}${nameOf(run.token)}${bit(run.live)}${bit(run.due)}`;
  const shape = (one: Invocation) =>
    `${one.at.slice(0, 2)}${one.fence}${bit(one.retried)}${bit(one.live)}${bit(one.token === run.token)}${bit(late.some(({ token }) => token === one.token))}`;
  const ordered = invocations
    .map((one) => ({ one, text: shape(one) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  const invocationKey = ordered
    .map(({ one }) =>
      one.at === 'idle'
        ? '.'
        : `${one.at.slice(0, 2)}${one.fence}${nameOf(one.token)}${bit(one.retried)}${bit(one.live)}`,
    )
    .join('');
  const lateKey = late
    .map(({ kind, fence, token }) => `${kind}${fence}${nameOf(token)}`)
    .sort()
    .join('');
  return [runKey, invocationKey, lateKey, queued, effects, bodies, bit(deleted), ...Object.values(left)].join('|');
}

/** One delivery, no record. */
export function initialState(options: RunModelOptions): RunState {
  return {
    run: { ...NO_RUN },
    invocations: Array.from({ length: options.invocations }, () => ({ ...IDLE })),
    late: [],
    queued: 1,
    effects: 0,
    bodies: 0,
    deleted: false,
    left: {
      crashes: options.crashes,
      losses: options.losses,
      duplicates: options.duplicates,
      watchdogRaces: options.watchdogRaces,
      retries: options.retries,
      deletions: options.deletions ?? 0,
    },
  };
}
