import { Stack, Validations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/**
 * Says to cdk-nag why these resources with a wildcard are meant, each by itself: another one is a finding.
 *
 * @param arns as they stand in the policy
 */
export function acknowledgeWildcards(
  construct: Construct,
  arns: readonly string[],
  { reason }: { readonly reason: string },
): void {
  const stack = Stack.of(construct);
  for (const arn of arns) {
    Validations.of(construct).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${spell(stack.resolve(arn))}]`,
      reason,
    });
  }
}

/** A resolved ARN in the notation of the rule's finding: references in angle brackets. */
function spell(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll('\u0024{', '<').replaceAll('}', '>');
  if (typeof value !== 'object' || value === null) return String(value);
  const { Ref, 'Fn::Join': join, 'Fn::Sub': text, 'Fn::GetAtt': attribute } = value as Record<string, unknown>;
  if (typeof Ref === 'string') return `<${Ref}>`;
  if (typeof text === 'string') return spell(text);
  if (Array.isArray(attribute)) return `<${attribute.join('.')}>`;
  if (Array.isArray(join)) {
    const [delimiter, items] = join as [string, unknown[]];
    return items.map(spell).join(delimiter);
  }
  return JSON.stringify(value);
}
