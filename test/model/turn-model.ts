import { chosen, type Model, type Step } from './checker.ts';
import {
  copy,
  finished,
  freshToken,
  hasBody,
  IDLE,
  type Invocation,
  keyOf,
  NO_RUN,
  owns,
  type Run,
  type TurnState,
} from './turn-state.ts';

export interface TurnModelOptions {
  readonly policy: 'skip' | 'queue';
  readonly invocations: number;
  readonly maxAttempts: number;
  readonly crashes: number;
  readonly losses: number;
  readonly duplicates: number;
  /** A run that has the turn already takes it again all the same. The product does not: one write less. */
  readonly takesOwnTurnAgain?: boolean;
  /** Mutation: the turn is free once the lease of its holder is over. */
  readonly freeOnExpiry?: boolean;
  /** Mutation: giving the turn back uses up the attempt. */
  readonly yieldCounts?: boolean;
  /** Mutation: the turn is taken whatever its version. */
  readonly takesAnyVersion?: boolean;
  readonly leasesNeverEnd?: boolean;
  readonly only?: readonly string[];
}

/** Two runs of one job that exclude each other. Every request is one atomic step, so what was read may be old when used. */
export function turnModel(options: TurnModelOptions): Model<TurnState> {
  function next(state: TurnState): readonly Step<TurnState>[] {
    const steps: Step<TurnState>[] = [];
    const step = (label: string, change: (to: TurnState) => void) => {
      const after = copy(state);
      change(after);
      steps.push({ label, state: after });
    };
    for (const index of [0, 1] as const) deliveries(state, index, step);
    for (const [index, one] of state.invocations.entries()) if (one.at !== 'idle') advance(state, index, one, step);
    return steps;
  }

  type AddStep = (label: string, change: (to: TurnState) => void) => void;

  function deliveries(state: TurnState, index: 0 | 1, step: AddStep): void {
    const run = state.runs[index];
    if (state.left.duplicates > 0 && state.queued[index] < 1) {
      step(`duplicate of run ${index}`, (to) => {
        to.left.duplicates--;
        to.queued[index]++;
      });
    }
    if (options.leasesNeverEnd !== true && run.status === 'running' && run.live) {
      step(`lease of run ${index} ends`, (to) => {
        to.runs[index].live = false;
        for (const one of to.invocations) if (one.token === run.token) one.live = false;
      });
    }
    const idle = state.invocations.findIndex(({ at }) => at === 'idle');
    if (state.queued[index] > 0 && idle >= 0) {
      step(`run ${index} is delivered`, (to) => {
        to.queued[index]--;
        to.invocations[idle] = { ...IDLE, at: 'seesTurn', run: index, token: freshToken(state) };
      });
    }
    const worked = state.invocations.some(({ at, run: of }) => at !== 'idle' && of === index);
    if (!finished(run) && state.queued[index] === 0 && !worked)
      step(`watchdog delivers run ${index}`, (to) => to.queued[index]++);
  }

  function advance(state: TurnState, index: number, one: Invocation, step: AddStep): void {
    const name = `${index} for run ${one.run}`;
    const run = state.runs[one.run];
    const stop = (to: TurnState) => {
      to.invocations[index] = { ...IDLE };
    };
    const become = (to: TurnState, change: Partial<Invocation>) => {
      to.invocations[index] = { ...one, ...change };
    };
    /** With its answer, or applied with the answer lost: then the same request is sent again. */
    const write = (label: string, change: (to: TurnState) => void, then: (to: TurnState) => void) => {
      step(`${name} ${label}`, (to) => {
        change(to);
        then(to);
      });
      if (state.left.losses === 0) return;
      step(`${name} ${label}, response lost`, (to) => {
        to.left.losses--;
        change(to);
      });
    };
    if (state.left.crashes > 0) {
      step(`${name} crashes`, (to) => {
        to.left.crashes--;
        stop(to);
      });
    }
    switch (one.at) {
      case 'seesTurn': {
        const { holder, version } = state.turn;
        const free = holder === -1 || holder === one.run;
        step(`${name} sees turn ${version} with ${holder}`, (to) =>
          become(to, { version, holder, at: free ? 'claims' : 'seesHolder' }),
        );
        return;
      }
      case 'seesHolder': {
        const holder = state.runs[one.holder === 1 ? 1 : 0];
        const free = finished(holder) || (options.freeOnExpiry === true && holder.status === 'running' && !holder.live);
        step(`${name} sees its holder ${holder.status}`, (to) => become(to, { at: free ? 'claims' : 'isBusy' }));
        return;
      }
      case 'isBusy': {
        const records =
          run.status === 'absent' || (run.status === 'pending' && run.fence === 0 && options.policy === 'skip');
        const status = options.policy === 'skip' ? 'skipped' : 'pending';
        write(
          'is busy',
          (to) => {
            if (records) to.runs[one.run] = { ...run, status, token: one.token, live: false };
          },
          stop,
        );
        return;
      }
      case 'claims':
        claim(run, one);
        return;
      case 'takesTurn':
        if (options.takesAnyVersion === true || state.turn.version === one.version) {
          write(
            `takes turn ${one.version + 1}`,
            (to) => {
              to.turn = { holder: one.run, version: one.version + 1 };
            },
            (to) => become(to, { at: 'works', version: one.version + 1 }),
          );
        } else if (state.turn.holder === one.run && state.turn.version === one.version + 1 && owns(run, one)) {
          step(`${name} sees that it took the turn`, (to) => become(to, { at: 'works', version: one.version + 1 }));
        } else {
          step(`${name} lost the turn`, (to) => become(to, { at: 'yields' }));
        }
        return;
      case 'works':
        step(`${name} has done its work`, (to) => become(to, { at: 'commits' }));
        if (!owns(run, one)) step(`${name} is fenced at its heartbeat`, stop);
        else if (!run.live) {
          step(`${name} renews`, (to) => {
            to.runs[one.run].live = true;
            become(to, { live: true });
          });
        }
        if (state.left.crashes > 0 && owns(run, one)) {
          step(`${name} throws`, (to) => {
            to.left.crashes--;
            const status = run.attempts >= options.maxAttempts ? 'failed' : 'pending';
            to.runs[one.run] = { ...run, status, live: false };
            stop(to);
          });
        }
        return;
      case 'commits':
        if (!owns(run, one)) step(`${name} is refused its commit`, stop);
        else {
          const commit = (to: TurnState) => {
            to.runs[one.run] = { ...run, status: 'succeeded', live: false };
            to.effects[one.run]++;
          };
          write('commits', commit, stop);
        }
        return;
      case 'yields':
        step(`${name} gives the turn back`, (to) => {
          if (owns(run, one)) {
            const attempts = options.yieldCounts === true ? run.attempts : run.attempts - 1;
            to.runs[one.run] = {
              ...run,
              status: options.policy === 'skip' ? 'skipped' : 'pending',
              live: false,
              attempts,
            };
          }
          stop(to);
        });
    }

    function claim(found: Run, invocation: Invocation): void {
      const left = found.attempts < options.maxAttempts;
      const waits = found.status === 'pending' || (found.status === 'running' && !found.live);
      const has = invocation.holder === invocation.run && options.takesOwnTurnAgain !== true;
      const after = has ? 'works' : 'takesTurn';
      if (found.status === 'absent' || (waits && left)) {
        const fence = found.fence + 1;
        write(
          `claims #${fence}`,
          (to) => {
            const attempts = found.attempts + 1;
            to.runs[invocation.run] = { status: 'running', fence, attempts, token: invocation.token, live: true };
          },
          (to) => become(to, { at: after, fence, live: true }),
        );
      } else if (found.status === 'running' && found.token === invocation.token) {
        step(`${name} sees its own claim`, (to) => become(to, { at: after, fence: found.fence, live: found.live }));
      } else if (waits) {
        step(`${name} closes it as exhausted`, (to) => {
          to.runs[invocation.run].status = 'failed';
          stop(to);
        });
      } else {
        step(`${name} is told ${found.status}`, stop);
      }
    }
  }

  const bodies = ({ invocations }: TurnState) => invocations.filter(hasBody);
  return {
    initial: [
      {
        runs: [{ ...NO_RUN }, { ...NO_RUN }],
        turn: { holder: -1, version: 0 },
        invocations: Array.from({ length: options.invocations }, () => ({ ...IDLE })),
        queued: [1, 1],
        effects: [0, 0],
        left: { crashes: options.crashes, losses: options.losses, duplicates: options.duplicates },
      },
    ],
    next,
    key: keyOf,
    done: ({ runs, queued, invocations }) =>
      runs.every(finished) && queued[0] + queued[1] === 0 && invocations.every(({ at }) => at === 'idle'),
    invariants: chosen(options.only, {
      'S1 at most one body of the job can still commit': (state: TurnState) =>
        bodies(state).filter((one) => owns(state.runs[one.run], one)).length <= 1,
      'S2 no two bodies of the job work under live leases': (state: TurnState) =>
        bodies(state).filter((one) => {
          const run = state.runs[one.run];
          const committed =
            one.at === 'commits' && run.status === 'succeeded' && run.token === one.token && run.fence === one.fence;
          return one.live && !committed;
        }).length <= 1,
      'S3 each run commits at most once': ({ effects }: TurnState) => effects.every((count) => count <= 1),
      'S4 succeeded means committed': ({ runs, effects }: TurnState) =>
        runs.every(({ status }, index) => (status === 'succeeded') === (effects[index] === 1)),
      'S5 skip never drops both runs': ({ runs }: TurnState) => !runs.every(({ status }) => status === 'skipped'),
      'S6 waiting alone never exhausts a run': ({ runs }: TurnState) =>
        !(options.leasesNeverEnd === true && options.crashes === 0 && runs.some(({ status }) => status === 'failed')),
    }),
    stepRules: chosen(options.only, {
      'T1 the version of the turn only grows': (before: TurnState, after: TurnState) =>
        after.turn.version >= before.turn.version,
      'T2 what is finished stays so': (before: TurnState, after: TurnState) =>
        before.runs.every((run, index) => !finished(run) || run.status === after.runs[index]?.status),
      'T3 fencing tokens only grow': (before: TurnState, after: TurnState) =>
        before.runs.every((run, index) => (after.runs[index]?.fence ?? 0) >= run.fence),
    }),
    reachable: {
      'both runs succeed': ({ runs }) => runs.every(({ status }) => status === 'succeeded'),
      'one succeeds, one is skipped': ({ runs }) =>
        runs.some(({ status }) => status === 'succeeded') && runs.some(({ status }) => status === 'skipped'),
      'a stalled body beside a live one': ({ invocations }) =>
        invocations.filter(({ at }) => at === 'works').length >= 2,
    },
  };
}
