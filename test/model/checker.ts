/** A state that one step leads to. */
export interface Step<State> {
  readonly label: string;
  readonly state: State;
}

/** What a model is, and what must hold in it. */
export interface Model<State> {
  readonly initial: readonly State[];
  next(state: State): readonly Step<State>[];
  /** Equal for states that differ only in names. */
  key(state: State): string;
  /** Must hold in every state. */
  readonly invariants: Readonly<Record<string, (state: State) => boolean>>;
  /** Must hold on every step. */
  readonly stepRules?: Readonly<Record<string, (before: State, after: State, label: string) => boolean>>;
  /** Where it is right to stop. */
  done(state: State): boolean;
  /** What should be reachable, lest the model prove nothing. */
  readonly reachable?: Readonly<Record<string, (state: State) => boolean>>;
}

export interface Verdict {
  /** What was broken; undefined when all held. */
  readonly violated?: string;
  /** The shortest way there. */
  readonly trace: readonly string[];
  readonly states: number;
  readonly transitions: number;
  readonly reached: readonly string[];
}

export const STUCK = 'a run is lost: nothing can happen and it is not finished';
export const NEVER_ENDS = 'a state from which the run can never be finished';

/** Visits every state, nearest first, so that a trace is a shortest one. */
export function check<State>(model: Model<State>): Verdict {
  const ids = new Map<string, number>();
  const parents: number[] = [];
  const labels: string[] = [];
  const done: boolean[] = [];
  const edges: [from: number, to: number][] = [];
  const reached = new Set<string>();

  const traceOf = (id: number, last?: string) => {
    const steps = last === undefined ? [] : [last];
    for (let at = id; at >= 0 && labels[at] !== ''; at = parents[at] ?? -1) steps.unshift(labels[at] ?? '');
    return steps;
  };
  const verdict = (violated: string | undefined, trace: readonly string[]): Verdict => ({
    ...(violated === undefined ? {} : { violated }),
    trace,
    states: ids.size,
    transitions: edges.length,
    reached: [...reached],
  });
  const visit = (state: State, parent: number, label: string): { id: number; fresh: boolean; broken?: string } => {
    const key = model.key(state);
    const known = ids.get(key);
    if (known !== undefined) return { id: known, fresh: false };
    const id = ids.size;
    ids.set(key, id);
    parents.push(parent);
    labels.push(label);
    done.push(model.done(state));
    for (const [name, holds] of Object.entries(model.reachable ?? {})) if (holds(state)) reached.add(name);
    const broken = Object.entries(model.invariants).find(([, holds]) => !holds(state))?.[0];
    return broken === undefined ? { id, fresh: true } : { id, fresh: true, broken };
  };

  let frontier: [number, State][] = [];
  for (const state of model.initial) {
    const { id, fresh, broken } = visit(state, -1, '');
    if (broken !== undefined) return verdict(broken, []);
    if (fresh) frontier.push([id, state]);
  }
  while (frontier.length > 0) {
    const following: [number, State][] = [];
    for (const [id, state] of frontier) {
      const steps = model.next(state);
      if (steps.length === 0 && !done[id]) return verdict(STUCK, traceOf(id));
      for (const { label, state: after } of steps) {
        const rule = Object.entries(model.stepRules ?? {}).find(([, holds]) => !holds(state, after, label))?.[0];
        if (rule !== undefined) return verdict(rule, traceOf(id, label));
        const { id: to, fresh, broken } = visit(after, id, label);
        edges.push([id, to]);
        if (broken !== undefined) return verdict(broken, traceOf(to));
        if (fresh) following.push([to, after]);
      }
    }
    frontier = following;
  }
  const hopeless = firstHopeless(done, edges);
  return hopeless === undefined ? verdict(undefined, []) : verdict(NEVER_ENDS, traceOf(hopeless));
}

/** The first state that no path leads from to where it is right to stop. */
function firstHopeless(done: readonly boolean[], edges: readonly [number, number][]): number | undefined {
  const heads = new Int32Array(done.length).fill(-1);
  const nexts = new Int32Array(edges.length);
  for (const [index, [, to]] of edges.entries()) {
    nexts[index] = heads[to] ?? -1;
    heads[to] = index;
  }
  const hopeful = new Uint8Array(done.length);
  const open = done.flatMap((isDone, id) => (isDone ? [id] : []));
  for (const id of open) hopeful[id] = 1;
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (let edge = heads[id] ?? -1; edge >= 0; edge = nexts[edge] ?? -1) {
      const from = edges[edge]?.[0] ?? 0;
      if (hopeful[from] === 1) continue;
      hopeful[from] = 1;
      open.push(from);
    }
  }
  const first = hopeful.indexOf(0);
  return first === -1 ? undefined : first;
}

/** Of rules by name, those whose names begin with one of `only`; all, without it. */
export function chosen<Rule>(only: readonly string[] | undefined, rules: Record<string, Rule>): Record<string, Rule> {
  const entries = Object.entries(rules).filter(([name]) => only?.some((start) => name.startsWith(start)) ?? true);
  return Object.fromEntries(entries);
}
