import { type IPrincipal, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { wakeUpNames } from '../domain/contract/names.ts';
import { acknowledgeWildcards } from './acknowledge-wildcards.ts';
import type { JobScheduler } from './job-scheduler.ts';
import { schedulerPrincipal } from './scheduler-principal.ts';
import { regionOf, shortArn, substituted } from './short-arn.ts';

export interface WakeUps {
  /** Who may assume that role, beside Lambda. */
  readonly principal: IPrincipal;
  /** What the function may do, so that it can arm them. */
  readonly statements: readonly PolicyStatement[];
  /** What the runtime is told. */
  variables(role: Role): Readonly<Record<string, string>>;
  /** Says to cdk-nag why, on the function's role. */
  acknowledge(role: Role): void;
}

/**
 * Path of a function's role, which no other role has. Every role has one, whether or not it arms wake-ups: a path cannot be
 * changed, and a role that is made anew has another ARN.
 *
 * @param name what the role is called after, as no other role
 */
export function rolePathOf(scope: Construct, name: string): string {
  return substituted(`/${folderOf(scope, name)}/`);
}

function folderOf(scope: Construct, name: string): string {
  return `belfry/${regionOf(scope)}/${name}`;
}

/**
 * Lets functions arm one-time schedules that invoke the function itself: retries and continuations then come in their
 * minute, to which EventBridge keeps. Those schedules have the function's own role, so they can do nothing that it
 * cannot do itself: with the role that all jobs' schedules share, one job could have another one run.
 *
 * A role's policy cannot refer to the role, so it names whatever is under the role's path.
 *
 * @param name what the role is called after, as no other role
 * @param functions names of the functions, as a pattern
 * @param jobs their jobs, as a pattern
 */
export function planWakeUps(
  scope: Construct,
  scheduler: JobScheduler,
  { name, functions, jobs }: { name: string; functions: string; jobs: string },
): WakeUps {
  const roles = shortArn(scope, 'iam', `role/${folderOf(scope, name)}/*`, '');
  const schedules = shortArn(scope, 'scheduler', `schedule/${scheduler.scheduleGroupName}/${wakeUpNames(jobs)}`);
  return {
    principal: schedulerPrincipal(scope, scheduler.scheduleGroupName),
    statements: [
      new PolicyStatement({ sid: 'OwnWakeUps', actions: ['scheduler:CreateSchedule'], resources: [schedules] }),
      new PolicyStatement({
        sid: 'OwnRoleForWakeUps',
        actions: ['iam:PassRole'],
        resources: [roles],
        conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
      }),
      new PolicyStatement({
        sid: 'WokenByOwnWakeUps',
        actions: ['lambda:InvokeFunction'],
        resources: [shortArn(scope, 'lambda', `function:${functions}`)],
      }),
    ],
    variables: (role) => ({ BELFRY_WAKE_UP_ROLE: role.roleArn }),
    acknowledge: (role) => {
      acknowledgeWildcards(role, [schedules], {
        reason: 'one-time schedules are named by job, instant and attempt, in the group of this scheduler',
      });
      acknowledgeWildcards(role, [roles], {
        reason: 'the function’s own role, whose path nothing else has; CloudFormation makes up the rest of its name',
      });
    },
  };
}
