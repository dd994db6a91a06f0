import { chosen, type Model, type Step } from './checker.ts';
import {
  copy,
  finished,
  holds,
  IDLE,
  type Invocation,
  initialState,
  keyOf,
  type LateRequest,
  NO_RUN,
  type Run,
  type RunModelOptions,
  type RunState,
} from './run-state.ts';

/**
 * One run (overlap `allow`) with every request one atomic step. A lease may end at any moment, also under a live holder,
 * so clocks are as wrong as can be.
 */
export function runModel(options: RunModelOptions): Model<RunState> {
  const commits = options.commit !== false;
  const isOwner = (run: Run, { fence, token }: { fence: number; token: number }) =>
    options.unfencedComplete === true || (run.status === 'running' && run.fence === fence && run.token === token);
  const claimable = (run: Run) =>
    run.status === 'absent' ||
    (run.fence < options.maxAttempts &&
      ((run.status === 'pending' && run.due) || (run.status === 'running' && !run.live)));

  function next(state: RunState): readonly Step<RunState>[] {
    const steps: Step<RunState>[] = [];
    const step = (label: string, change: (state: RunState) => void) => {
      const after = copy(state);
      change(after);
      steps.push({ label, state: after });
    };
    environment(state, step);
    for (const index of state.invocations.keys()) invocation(state, index, step);
    const quiet = state.queued === 0 && state.invocations.every(({ at }) => at === 'idle');
    if (options.watchdog !== false && quiet && !finished(state.run)) step('watchdog delivers', (to) => to.queued++);
    return steps;
  }

  type AddStep = (label: string, change: (state: RunState) => void) => void;

  function environment(state: RunState, step: AddStep): void {
    const { run, left, queued } = state;
    if (left.duplicates > 0 && queued < 2) {
      step('duplicate delivery', (to) => {
        to.left.duplicates--;
        to.queued++;
      });
    }
    if (left.watchdogRaces > 0 && queued < 2 && !finished(run)) {
      step('watchdog races', (to) => {
        to.left.watchdogRaces--;
        to.queued++;
      });
    }
    if (run.status === 'running' && run.live) {
      step('lease ends', (to) => {
        to.run.live = false;
        for (const one of to.invocations) if (one.token === run.token) one.live = false;
      });
    }
    if (run.status === 'pending' && !run.due) {
      step('retry is due', (to) => {
        to.run.due = true;
      });
    }
    if (left.deletions > 0 && run.status !== 'absent') {
      step('record is deleted early', (to) => {
        to.left.deletions--;
        to.run = { ...NO_RUN };
        to.deleted = true;
      });
    }
    for (const [index, request] of state.late.entries()) {
      step(`late ${request.kind}`, (to) => {
        to.late.splice(index, 1);
        arrive(to, request);
      });
    }
    const idle = state.invocations.findIndex(({ at }) => at === 'idle');
    if (queued > 0 && idle >= 0) {
      step('an invocation starts', (to) => {
        to.queued--;
        to.invocations[idle] = { at: 'claiming', token: freshToken(state), fence: 0, retried: true, live: false };
      });
    }
  }

  function arrive(to: RunState, { kind, token, fence }: LateRequest): void {
    const { run } = to;
    if (kind === 'claim') {
      // Its condition was written with the time of its sender: only what was dead then, and is the same now, may be taken.
      const sameDead = run.status === 'running' && !run.live && run.fence === fence && run.fence < options.maxAttempts;
      if (run.status === 'absent' || sameDead) applyClaim(to, token);
    } else if (isOwner(run, { fence, token })) {
      if (kind === 'complete') applyComplete(to);
      else applyFail(to, fence);
    }
  }

  function invocation(state: RunState, index: number, step: AddStep): void {
    const one = state.invocations[index];
    if (one === undefined || one.at === 'idle') return;
    const stop = (to: RunState) => {
      to.invocations[index] = { ...IDLE };
    };
    const become = (to: RunState, change: Partial<Invocation>) => {
      to.invocations[index] = { ...one, ...change };
    };
    const lose = (label: string, change: (to: RunState) => void) => {
      if (state.left.losses === 0) return;
      step(label, (to) => {
        to.left.losses--;
        change(to);
      });
    };
    /** The invocation is over without an answer: Lambda delivers the event again, or not. */
    const breakOff = (label: string, change: (to: RunState) => void) => {
      const again = one.retried && state.left.retries > 0;
      const over = (to: RunState) => {
        change(to);
        stop(to);
      };
      if (!(options.neverDrops === true && again)) step(`${label}; the event is dropped`, over);
      if (again) {
        step(`${label}; Lambda retries`, (to) => {
          over(to);
          to.queued++;
          to.left.retries--;
        });
      }
    };
    const giveUp = (kind: LateRequest['kind'], fence: number) => {
      if (state.left.losses === 0 || options.neverGivesUp === true) return;
      breakOff(`${index} gives up to ${kind}`, (to) => {
        to.left.losses--;
        if (to.late.length < options.lateRequests) to.late.push({ kind, token: one.token, fence });
      });
    };
    if (state.left.crashes > 0) breakOff(`${index} crashes ${one.at}`, (to) => void to.left.crashes--);

    const { run } = state;
    switch (one.at) {
      case 'claiming':
        if (claimable(run)) {
          step(`${index} claims #${run.fence + 1}`, (to) => {
            applyClaim(to, one.token);
            become(to, { at: 'working', fence: run.fence + 1, live: true });
          });
          lose(`${index} claims, response lost`, (to) => applyClaim(to, one.token));
        } else if (options.ignoresOwnClaim !== true && run.status === 'running' && run.token === one.token) {
          step(`${index} sees its own claim #${run.fence}`, (to) =>
            become(to, { at: 'working', fence: run.fence, live: run.live }),
          );
        } else if (
          !finished(run) &&
          run.fence >= options.maxAttempts &&
          (run.status === 'running' ? !run.live : run.due)
        ) {
          step(`${index} closes it as exhausted`, (to) => {
            to.run.status = 'failed';
            stop(to);
          });
        } else {
          step(`${index} is told ${run.status}`, stop);
        }
        giveUp('claim', run.fence);
        return;
      case 'working':
        step(`${index} has done its work #${one.fence}`, (to) => {
          become(to, { at: 'completing' });
          to.bodies = Math.min(3, to.bodies + 1);
          if (!commits) to.effects = Math.min(3, to.effects + 1);
        });
        if (options.neverThrows !== true) step(`${index} throws #${one.fence}`, (to) => become(to, { at: 'failing' }));
        if (run.status === 'running' && run.fence === one.fence && run.token === one.token) {
          if (!run.live) {
            step(`${index} renews`, (to) => {
              to.run.live = true;
              become(to, { live: true });
            });
          }
        } else if (options.unfencedComplete !== true) {
          step(`${index} is fenced at its heartbeat`, stop);
        }
        return;
      case 'completing':
        if (isOwner(run, one)) {
          step(`${index} completes #${one.fence}`, (to) => {
            applyComplete(to);
            stop(to);
          });
          lose(`${index} completes #${one.fence}, response lost`, applyComplete);
        } else {
          step(`${index} is refused completion`, stop);
        }
        giveUp('complete', one.fence);
        return;
      case 'failing':
        if (options.deleteOnFail === true) {
          breakOff(`${index} deletes the record`, (to) => {
            to.run = { ...NO_RUN };
          });
        } else if (isOwner(run, one)) {
          step(`${index} records its failure`, (to) => {
            applyFail(to, one.fence);
            stop(to);
          });
          lose(`${index} records its failure, response lost`, (to) => applyFail(to, one.fence));
        } else {
          step(`${index} is refused its failure`, stop);
        }
        giveUp('fail', one.fence);
    }
  }

  function applyClaim(to: RunState, token: number): void {
    to.run = { status: 'running', fence: to.run.fence + 1, token, live: true, due: false };
  }

  function applyComplete(to: RunState): void {
    to.run.status = 'succeeded';
    to.run.live = false;
    if (commits) to.effects = Math.min(3, to.effects + 1);
  }

  function applyFail(to: RunState, fence: number): void {
    to.run.status = fence >= options.maxAttempts ? 'failed' : 'pending';
    to.run.live = false;
    to.run.due = false;
  }

  function freshToken(state: RunState): number {
    if (options.sharedToken === true) return 1;
    const used = new Set([
      state.run.token,
      ...state.invocations.map(({ token }) => token),
      ...state.late.map(({ token }) => token),
    ]);
    let token = 1;
    while (used.has(token)) token++;
    return token;
  }

  return {
    initial: [initialState(options)],
    next,
    key: keyOf,
    done: ({ run, queued, invocations }) =>
      finished(run) && queued === 0 && invocations.every(({ at }) => at === 'idle'),
    invariants: chosen(options.only, {
      'I1 no two attempts have one fencing token': ({ invocations }: RunState) => {
        const fences = invocations.filter(holds).map(({ fence }) => fence);
        return new Set(fences).size === fences.length;
      },
      'I2 at most one attempt holds the current claim': ({ run, invocations }: RunState) =>
        invocations.filter(
          (one) => holds(one) && run.status === 'running' && one.fence === run.fence && one.token === run.token,
        ).length <= 1,
      'I3 the effect is committed at most once': ({ effects }: RunState) => effects <= 1,
      'I4 succeeded means that the effect is there': ({ run, effects, deleted }: RunState) =>
        commits ? deleted || (run.status === 'succeeded') === effects >= 1 : run.status !== 'succeeded' || effects >= 1,
      'I5 failed only after all attempts': ({ run }: RunState) =>
        run.status !== 'failed' || run.fence >= options.maxAttempts,
      'I6 at most one body works under a live lease': ({ invocations }: RunState) =>
        invocations.filter(({ at, live }) => live && (at === 'working' || at === 'completing')).length <= 1,
    }),
    stepRules: chosen(options.only, {
      'T1 a fencing token never falls': (before: RunState, after: RunState, label: string) =>
        after.run.fence >= before.run.fence || label.startsWith('record is deleted'),
      'T2 what is finished stays so': (before: RunState, after: RunState, label: string) =>
        !finished(before.run) || after.run.status === before.run.status || label.startsWith('record is deleted'),
      'T3 a fencing token rises by one': (before: RunState, after: RunState) => after.run.fence <= before.run.fence + 1,
      'T4 only the current attempt completes': (before: RunState, _after: RunState, label: string) => {
        const fence = / completes #(\d)/.exec(label)?.[1];
        return fence === undefined || before.run.fence === Number(fence);
      },
    }),
    reachable: {
      'the body ran twice, the effect was committed once': ({ run, bodies, effects }) =>
        bodies >= 2 && run.status === 'succeeded' && effects === 1,
      'the body came to its end, yet the run failed': ({ run, bodies }) => run.status === 'failed' && bodies >= 1,
      'a zombie works beside its successor': ({ invocations }) => invocations.filter(holds).length >= 2,
    },
  };
}
