import { CfnRole } from 'aws-cdk-lib/aws-iam';
import { Annotations, Stage, Token } from 'aws-cdk-lib/core';
import type { JobScheduler } from './job-scheduler.ts';

/** What an account may have unless its quota was raised. */
const ROLES_ALLOWED = 1_000;
/** Some are there already: of the CDK itself, and of whatever else the account holds. */
const ROLES_LEFT_FOR_OTHERS = 100;

/**
 * Warns when the app would fill the account's quota of IAM roles: every job with a function of its own has a role.
 * Counted over all stacks that go to the scheduler's account; where that is left open, over the scheduler's stage.
 */
export function tellRoleQuota(scheduler: JobScheduler): void {
  scheduler.node.addValidation({
    validate() {
      const roles = rolesBeside(scheduler);
      if (roles > ROLES_ALLOWED - ROLES_LEFT_FOR_OTHERS) {
        Annotations.of(scheduler).addWarningV2(
          'belfry:ManyRoles',
          `this app declares ${roles.toLocaleString('en-US')} IAM roles for one account, which may have ${ROLES_ALLOWED.toLocaleString('en-US')} in all: let jobs share a function (JobFleet), which has one role in each stack, or ask AWS to raise the quota before you deploy`,
        );
      }
      return [];
    },
  });
}

function rolesBeside(scheduler: JobScheduler): number {
  const { account } = scheduler.scheduleGroup.stack;
  const isOpen = Token.isUnresolved(account);
  const within = isOpen ? (Stage.of(scheduler) ?? scheduler.scheduleGroup.stack) : scheduler.node.root;
  const roles = within.node.findAll().filter((construct) => construct instanceof CfnRole);
  return roles.filter(({ stack }) => isOpen || stack.account === account).length;
}
