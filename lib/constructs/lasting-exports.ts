import { Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { outermostStack } from './outermost-stack.ts';

/**
 * Exports attributes from a stack, whether or not another one uses them. CloudFormation refuses to take an export away
 * while a stack imports it, and stacks are updated one after the other: what is exported only while it is used could
 * never stop being used. For what lasts as long as its stack and is not made anew.
 */
export function exportLastingly(scope: Construct, attributes: readonly string[]): void {
  const stack = outermostStack(Stack.of(scope));
  for (const attribute of attributes) stack.exportValue(attribute);
}
