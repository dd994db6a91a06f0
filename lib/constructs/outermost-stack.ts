import type { Stack } from 'aws-cdk-lib/core';

/** The stack that is deployed: of a nested one, that which holds it. */
export function outermostStack(stack: Stack): Stack {
  return stack.nestedStackParent === undefined ? stack : outermostStack(stack.nestedStackParent);
}
