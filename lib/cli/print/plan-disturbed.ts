import type { DisturbedJob } from '../../domain/plan/disturbed-jobs.ts';
import type { DeploymentPlan } from '../../domain/plan/plan-deployment.ts';
import { formatInstant } from '../../domain/time/instant.ts';
import { count, listWords } from './plan-words.ts';

const MOST_JOBS = 5;

const TOUCHES = { removed: 'removed', renamed: 'renamed', schedule: 'schedule changes', function: 'function changes' };

const IF_NOT_STARTED = {
  startsLate: 'what does not start in time is started late by the watchdog',
  missed: 'what does not start in time is recorded as missed',
  forgotten: 'what has not started by then is not started any more',
};

/** What a deployment would meet, a line each. */
export function disturbedLines(plan: DeploymentPlan, isShown: (job: string) => boolean): readonly string[] {
  const { disturbed, quietFrom } = plan;
  const shown = disturbed.filter(({ job }) => isShown(job));
  const replaced = shown.filter(({ touches }) => touches.some((what) => what !== 'function'));
  const updated = shown.filter(({ touches }) => touches.length === 1 && touches[0] === 'function');
  const others = shown.filter(({ touches }) => touches.length === 0);
  return [
    ...replaced.slice(0, MOST_JOBS).map(replacedLine),
    ...(replaced.length > MOST_JOBS
      ? [
          `and ${count(replaced.length - MOST_JOBS, 'more job')} whose schedules change: ${names(replaced.slice(MOST_JOBS))}`,
        ]
      : []),
    ...(updated.length === 0
      ? []
      : [
          `meets ${count(updated.length, 'job')} whose function changes: ${names(updated)}; a run in progress ends on the old code, its retries have the new`,
        ]),
    ...(others.length === 0
      ? []
      : [`does not touch ${count(others.length, 'other job')} due or running meanwhile: ${names(others)}`]),
    ...(shown.length === 0 ? ['meets no occurrence and no run'] : []),
    ...quietLine(plan, replaced.length > 0, quietFrom),
  ];
}

function quietLine({ now }: DeploymentPlan, isMet: boolean, quietFrom: number | undefined): readonly string[] {
  if (!isMet) return [];
  if (quietFrom === undefined) return ['within 24 hours there is no time at which it would meet none of them'];
  return quietFrom > now ? [`from ${formatInstant(quietFrom)} on it would meet none of them`] : [];
}

function replacedLine({ job, due, running, touches, ifNotStarted }: DisturbedJob): string {
  const what = [
    ...(due.length === 0 ? [] : [`due ${times(due)}`]),
    ...(running.length === 0 ? [] : [`may be running (${times(running)})`]),
  ];
  const how = touches.map((one) => TOUCHES[one]).join(', ');
  return `meets ${job} (${how}): ${what.join(', ')}; ${IF_NOT_STARTED[ifNotStarted]}`;
}

function times(instants: readonly number[]): string {
  const [first = 0] = instants;
  const clock = (instant: number) => `${formatInstant(instant).slice(11, 16)}Z`;
  return instants.length === 1
    ? clock(first)
    : `${instants.length} times, ${clock(first)} to ${clock(instants.at(-1) ?? first)}`;
}

function names(jobs: readonly DisturbedJob[]): string {
  return listWords(jobs.map(({ job }) => job));
}
