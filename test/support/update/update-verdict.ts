import type { Obstacle } from '../../../lib/domain/plan/obstacle.ts';
import { reviewUpdate } from '../../../lib/domain/update/review-update.ts';
import type { StackTemplate } from '../../../lib/domain/update/stack-template.ts';
import type { Change } from './app-options.ts';
import type { Layout } from './app-scopes.ts';
import { synthesised, usualApp } from './update-app.ts';
import { asUsual, type UpdatePair } from './update-pairs.ts';

export interface Verdict {
  readonly is: 'safe' | 'told';
  /** What should not be found, each with what it is about. */
  readonly stuck: readonly string[];
}

/** The stack of the test's apps that holds what is the user's. */
const OWN = 'own';
const known = new Map<Layout, readonly StackTemplate[]>();

/** Of the one deployed over the other, and the other way round. */
export function verdictOf(layout: Layout, { before, after, told }: UpdatePair): readonly Verdict[] {
  const [was, is] = [stacksOf(layout, before), stacksOf(layout, after)];
  // A pair that is no change shows nothing.
  if (JSON.stringify(was) === JSON.stringify(is)) return [{ is: 'safe', stuck: ['both apps are the same'] }];
  return [judge(was, is, told), judge(is, was, told)];
}

function stacksOf(layout: Layout, change: Change): readonly StackTemplate[] {
  if (change !== asUsual) return synthesised(change(usualApp(layout)));
  const stacks = known.get(layout) ?? synthesised(usualApp(layout));
  known.set(layout, stacks);
  return stacks;
}

function judge(before: readonly StackTemplate[], after: readonly StackTemplate[], told: string | undefined): Verdict {
  const found = reviewUpdate(before, after);
  const isExpected = ({ rule, stack }: Obstacle) => rule === told || (rule === 'ExportInUse' && stack === OWN);
  const unexpected = found.filter((obstacle) => !isExpected(obstacle));
  const inTheWay = found.filter(({ rule }) => rule === 'ExportInUse').map(({ stack }) => stack);
  const between = after.map((stack) => (inTheWay.includes(stack.name) ? withExportsOf(before, stack) : stack));
  const twice = inTheWay.length === 0 ? [] : [...reviewUpdate(before, between), ...reviewUpdate(between, after)];
  return { is: found.length === 0 ? 'safe' : 'told', stuck: [...unexpected, ...twice].map(spell) };
}

/** The way out that `ExportInUse` names: what is exported is kept for one deployment. */
function withExportsOf(before: readonly StackTemplate[], after: StackTemplate): StackTemplate {
  const was = before.find(({ name }) => name === after.name)?.template ?? {};
  const { Resources, Outputs } = after.template;
  return {
    ...after,
    template: {
      Resources: { ...was.Resources, ...Resources },
      Outputs: { ...was.Outputs, ...Outputs },
    },
  };
}

function spell({ rule, stack, resource = '', why }: Obstacle): string {
  return `${rule} ${stack} ${resource}: ${why}`;
}
