import type { Obstacle } from '../plan/obstacle.ts';
import type { StackTemplate } from './stack-template.ts';

const MOST_RESOURCES = 500;
const MOST_OUTPUTS = 200;
const LARGEST_TEMPLATE = 1_000_000;

/** Stacks that are larger than CloudFormation takes. */
export function sizeRules(stacks: readonly StackTemplate[]): readonly Obstacle[] {
  return stacks.flatMap(({ name, template }) => {
    const sizes = [
      { what: 'resources', size: Object.keys(template.Resources ?? {}).length, most: MOST_RESOURCES },
      { what: 'outputs', size: Object.keys(template.Outputs ?? {}).length, most: MOST_OUTPUTS },
      { what: 'bytes of template', size: bytesOf(template), most: LARGEST_TEMPLATE },
    ];
    return sizes
      .filter(({ size, most }) => size > most)
      .map(({ what, size, most }) => ({
        rule: 'StackTooLarge',
        stack: name,
        why: `the stack has ${size} ${what}, CloudFormation takes ${most}`,
        wayOut: 'spread the jobs over more stacks, or make them jobs of a fleet',
      }));
  });
}

/** As the CDK writes it. */
function bytesOf(template: StackTemplate['template']): number {
  return new TextEncoder().encode(JSON.stringify(template, undefined, 1)).length;
}
