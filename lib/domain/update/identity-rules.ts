import type { Obstacle } from '../plan/obstacle.ts';
import type { DeploymentSide } from './deployment-side.ts';
import { ACCOUNT_WIDE } from './resource-schema.ts';
import type { StackUpdate } from './stack-update.ts';

interface Holder {
  readonly stack: string;
  readonly logicalId: string;
  readonly type: string;
  readonly identity: string;
  readonly isRetained: boolean;
}

/** One physical identity under two logical ids at once: CloudFormation makes what is new before it deletes what is old. */
export function identityRules({ before, after }: StackUpdate): readonly Obstacle[] {
  const [were, are] = [holdersOf(before), holdersOf(after)];
  return [...are].flatMap(([key, holders]) => {
    const [first, second] = holders;
    if (first === undefined) return [];
    if (second !== undefined) return [declaredTwice(first, second)];
    const old = were.get(key)?.find((holder) => !isSame(holder, first));
    if (old === undefined || were.get(key)?.some((holder) => isSame(holder, first))) return [];
    return takenObstacles(old, first, after);
  });
}

function declaredTwice(first: Holder, second: Holder): Obstacle {
  return {
    rule: 'NameTaken',
    stack: second.stack,
    resource: second.logicalId,
    why: `${first.type} '${first.identity}' is declared twice, as ${spell(first)} and ${spell(second)}: CloudFormation cannot create the second one, because the name exists`,
    wayOut: 'give one of the two another name',
  };
}

function takenObstacles(old: Holder, now: Holder, after: DeploymentSide): readonly Obstacle[] {
  const isGoneByThen =
    old.stack !== now.stack &&
    !old.isRetained &&
    after.stack(old.stack) !== undefined &&
    after.predecessorsOf(now.stack).has(old.stack);
  if (isGoneByThen) return [];
  return [
    {
      rule: 'NameTaken',
      stack: now.stack,
      resource: now.logicalId,
      why: `${now.type} '${now.identity}' is to be created as ${spell(now)} while ${spell(old)} still has that name`,
      wayOut: old.isRetained
        ? `${spell(old)} is kept when its stack removes it: give the new resource another name, or import the old one`
        : after.stack(old.stack) === undefined
          ? `destroy ${old.stack} first, because the app does not have it any more`
          : 'give it another name, or deploy twice: first without it, then with it',
    },
  ];
}

function isSame(one: Holder, other: Holder): boolean {
  return one.stack === other.stack && one.logicalId === other.logicalId;
}

function spell({ stack, logicalId }: Holder): string {
  return `${stack}/${logicalId}`;
}

function holdersOf(side: DeploymentSide): ReadonlyMap<string, readonly Holder[]> {
  const holders = new Map<string, Holder[]>();
  for (const stack of side.stacks) {
    const { account = '', region = '' } = stack.target ?? {};
    for (const [logicalId, resource] of Object.entries(stack.template.Resources ?? {})) {
      const identity = side.identityOf(stack, resource);
      if (identity === undefined) continue;
      const place = ACCOUNT_WIDE.has(resource.Type) ? account : `${account} ${region}`;
      const key = `${resource.Type} ${place} ${identity}`;
      holders.set(key, [
        ...(holders.get(key) ?? []),
        {
          stack: stack.name,
          logicalId,
          type: resource.Type,
          identity,
          isRetained: resource.DeletionPolicy?.startsWith('Retain') ?? false,
        },
      ]);
    }
  }
  return holders;
}
