import type { TemplateValue } from '../../../lib/domain/update/stack-template.ts';
import type { Intrinsics } from '../../../lib/local/assembly/intrinsics.ts';
import type { Statement } from './policy.ts';

interface PolicyDocument {
  readonly Statement: readonly Statement[];
}

/** Statements of each role, inline ones and those of policies attached to it, by the role's ARN. */
export function deployedRoles(intrinsics: Intrinsics): Map<string, Statement[]> {
  const roles = new Map<string, Statement[]>();
  const byName = new Map<string, Statement[]>();
  for (const { stack, logicalId, resource } of intrinsics.resources('AWS::IAM::Role')) {
    const managed = intrinsics.property(resource, 'ManagedPolicyArns', stack);
    if (managed !== undefined) throw new Error(`${logicalId} has managed policies, which this test cannot see into`);
    const policies = (intrinsics.property(resource, 'Policies', stack) ?? []) as unknown as {
      PolicyDocument: PolicyDocument;
    }[];
    const statements = policies.flatMap((policy) => policy.PolicyDocument.Statement);
    roles.set(intrinsics.attribute(stack, logicalId, 'Arn'), statements);
    byName.set(intrinsics.reference(stack, logicalId), statements);
  }
  for (const { stack, resource } of intrinsics.resources('AWS::IAM::Policy')) {
    const document = intrinsics.property(resource, 'PolicyDocument', stack) as unknown as PolicyDocument;
    for (const role of intrinsics.property(resource, 'Roles', stack) as readonly TemplateValue[]) {
      byName.get(String(role))?.push(...document.Statement);
    }
  }
  return roles;
}

/** ARN of the role that each function has, by the function's name. */
export function rolesOfFunctions(intrinsics: Intrinsics): Map<string, string> {
  const roles = new Map<string, string>();
  for (const { stack, logicalId, resource } of intrinsics.resources('AWS::Lambda::Function')) {
    roles.set(intrinsics.reference(stack, logicalId), String(intrinsics.property(resource, 'Role', stack)));
  }
  return roles;
}
