import type { Obstacle } from '../plan/obstacle.ts';
import type { StackTemplate } from './stack-template.ts';
import { exceededLimits, NAMES_OF_LIMITS, sizeOfTemplate } from './template-limits.ts';

/** Stacks that are larger than CloudFormation takes. */
export function sizeRules(stacks: readonly StackTemplate[]): readonly Obstacle[] {
  return stacks.flatMap(({ name, template }) =>
    exceededLimits(sizeOfTemplate(template)).map(({ limit, size, allowed }) => ({
      rule: 'StackTooLarge',
      stack: name,
      why: `the stack has ${size} ${NAMES_OF_LIMITS[limit]}, CloudFormation takes ${allowed}`,
      wayOut: 'spread the jobs over more stacks, or put them into a fleet',
    })),
  );
}
