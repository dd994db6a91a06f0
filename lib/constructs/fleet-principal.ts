import {
  type AddToPrincipalPolicyResult,
  type IPrincipal,
  type IRole,
  type PolicyStatement,
  PrincipalPolicyFragment,
} from 'aws-cdk-lib/aws-iam';
import { Lazy } from 'aws-cdk-lib/core';
import { DependencyGroup } from 'constructs';

/** All roles of a fleet as one: what is granted to it, each role gets, also one that comes later. */
export class FleetPrincipal implements IPrincipal {
  readonly grantPrincipal: IPrincipal = this;
  readonly assumeRoleAction = 'sts:AssumeRole';
  /** Known, so that what is granted in the same account is said in the roles' policies alone. */
  readonly principalAccount: string;
  /** Resource policies name the roles. */
  readonly policyFragment = new PrincipalPolicyFragment({
    AWS: Lazy.list({ produce: () => this.roles.map(({ roleArn }) => roleArn) }),
  });
  private readonly roles: IRole[] = [];
  private readonly statements: PolicyStatement[] = [];
  private readonly policies = new DependencyGroup();

  constructor(account: string) {
    this.principalAccount = account;
  }

  /** Called by a fleet for each stack that it has jobs in. */
  add(role: IRole): void {
    this.roles.push(role);
    for (const statement of this.statements) this.give(role, statement);
  }

  addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.statements.push(statement);
    for (const role of this.roles) this.give(role, statement);
    return { statementAdded: true, policyDependable: this.policies };
  }

  private give(role: IRole, statement: PolicyStatement): void {
    const { policyDependable } = role.addToPrincipalPolicy(statement.copy());
    if (policyDependable !== undefined) this.policies.add(policyDependable);
  }
}
