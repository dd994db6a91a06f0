import { Stack, Token } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { assertPrefix, usualPrefix } from '../domain/contract/names.ts';
import { BelfryError } from '../domain/errors.ts';
import { outermostStack } from './outermost-stack.ts';

/** The prefixes of an app, by where they are deployed. */
const takenPrefixes = new WeakMap<IConstruct, Map<string, string>>();

/**
 * The prefix of a scheduler, which no other scheduler of the app has in the same account and Region.
 * @throws BelfryError `IllegalPrefix`, `PrefixTaken`
 */
export function prefixOf(scheduler: IConstruct, given: string | undefined): string {
  const stack = outermostStack(Stack.of(scheduler));
  const prefix = given ?? usualPrefix(stack.stackName);
  assertPrefix(prefix);
  const { root } = scheduler.node;
  const taken = takenPrefixes.get(root) ?? new Map<string, string>();
  takenPrefixes.set(root, taken);
  // What is left to the deployment is the same for all that leave it.
  const place = [stack.account, stack.region].map((part) => (Token.isUnresolved(part) ? '' : part)).join(' ');
  const other = taken.get(`${place} ${prefix}`);
  if (other !== undefined) {
    throw new BelfryError(
      'PrefixTaken',
      `schedulers ${other} and ${scheduler.node.path} both have the prefix '${prefix}', so their functions and schedules would get the same names: give one of them another 'prefix'${given === undefined ? " (by default it is the stack's name, so two schedulers in one stack need two)" : ''}`,
    );
  }
  taken.set(`${place} ${prefix}`, scheduler.node.path);
  return prefix;
}
