export type Status = 'absent' | 'running' | 'pending' | 'succeeded' | 'failed' | 'skipped';

export interface Run {
  status: Status;
  fence: number;
  attempts: number;
  token: number;
  live: boolean;
}

export interface Invocation {
  at: 'idle' | 'seesTurn' | 'seesHolder' | 'isBusy' | 'claims' | 'takesTurn' | 'works' | 'commits' | 'yields';
  run: 0 | 1;
  token: number;
  fence: number;
  /** The version of the turn that it saw. */
  version: number;
  /** The run that had the turn then; -1: none. */
  holder: number;
  live: boolean;
}

export interface TurnState {
  runs: [Run, Run];
  turn: { holder: number; version: number };
  invocations: Invocation[];
  queued: [number, number];
  effects: [number, number];
  left: { crashes: number; losses: number; duplicates: number };
}

export const IDLE: Invocation = { at: 'idle', run: 0, token: 0, fence: 0, version: 0, holder: 0, live: false };
export const NO_RUN: Run = { status: 'absent', fence: 0, attempts: 0, token: 0, live: false };

export const finished = ({ status }: Run) => status === 'succeeded' || status === 'failed' || status === 'skipped';
export const owns = (run: Run, { token, fence }: Invocation) =>
  run.status === 'running' && run.token === token && run.fence === fence;
export const hasBody = ({ at }: Invocation) => at === 'works' || at === 'commits';

export function copy({ runs, turn, invocations, queued, effects, left }: TurnState): TurnState {
  return {
    runs: [{ ...runs[0] }, { ...runs[1] }],
    turn: { ...turn },
    invocations: invocations.map((one) => ({ ...one })),
    queued: [...queued],
    effects: [...effects],
    left: { ...left },
  };
}

export function freshToken({ runs, invocations }: TurnState): number {
  const used = new Set([...runs.map(({ token }) => token), ...invocations.map(({ token }) => token)]);
  let token = 1;
  while (used.has(token)) token++;
  return token;
}

/** Invocations are interchangeable, and so are the names of tokens. */
export function keyOf({ runs, turn, invocations, queued, effects, left }: TurnState): string {
  const names = new Map<number, number>([[0, 0]]);
  const nameOf = (token: number) => {
    const known = names.get(token) ?? names.size;
    names.set(token, known);
    return known;
  };
  const shape = (one: Invocation) =>
    [one.at, one.run, one.fence, one.version, one.holder, one.live, one.token === runs[one.run].token].join();
  const ordered = invocations.map((one) => ({ one, text: shape(one) })).sort((a, b) => (a.text < b.text ? -1 : 1));
  const runKeys = runs.map((run) => [run.status, run.fence, run.attempts, nameOf(run.token), run.live].join());
  const invocationKeys = ordered.map(({ one, text }) => (one.at === 'idle' ? '.' : `${text}${nameOf(one.token)}`));
  return JSON.stringify([runKeys, turn, invocationKeys, queued, effects, left]);
}
