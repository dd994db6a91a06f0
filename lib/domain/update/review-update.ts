import type { Obstacle } from '../plan/obstacle.ts';
import { exportRules } from './export-rules.ts';
import { identityRules } from './identity-rules.ts';
import { replacementRules } from './replacement-rules.ts';
import { sizeRules } from './size-rules.ts';
import type { StackTemplate } from './stack-template.ts';
import { StackUpdate } from './stack-update.ts';

/** Why CloudFormation would refuse to take stacks from one state to another, or would lose what is in them. */
export function reviewUpdate(before: readonly StackTemplate[], after: readonly StackTemplate[]): readonly Obstacle[] {
  const update = new StackUpdate(before, after);
  return [...exportRules(update), ...replacementRules(update), ...identityRules(update), ...sizeRules(after)];
}
