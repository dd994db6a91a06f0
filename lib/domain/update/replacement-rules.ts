import type { Obstacle } from '../plan/obstacle.ts';
import { HOLDS_DATA, schemaOf, UNCHANGEABLE } from './resource-schema.ts';
import { RESOURCE_SCHEMAS } from './resource-schemas.ts';
import type { KeptResource, StackUpdate } from './stack-update.ts';

/** Changes of a resource that CloudFormation or the service refuses, or that lose what is in it. */
export function replacementRules(update: StackUpdate): readonly Obstacle[] {
  return update.kept.flatMap((kept) => {
    if (kept.before.Type !== kept.after.Type) return [typeChanged(kept)];
    const causes = update.causesOf(kept.stack, kept.logicalId);
    if (causes.length === 0) return refusedChanges(update, kept);
    return [...namedReplacement(update, kept, causes), ...emptied(kept, causes)];
  });
}

function typeChanged({ stack, logicalId, before, after }: KeptResource): Obstacle {
  return {
    rule: 'TypeChanged',
    stack,
    resource: logicalId,
    why: `${logicalId} was ${before.Type} and would be ${after.Type}: CloudFormation cannot change the type of a resource`,
    wayOut: 'give the new resource another construct id',
  };
}

function namedReplacement(
  update: StackUpdate,
  { stack, logicalId, before, after }: KeptResource,
  causes: readonly string[],
): readonly Obstacle[] {
  const [was, is] = [update.before.stack(stack), update.after.stack(stack)];
  const name = is === undefined ? undefined : update.after.identityOf(is, after);
  if (was === undefined || name === undefined || name !== update.before.identityOf(was, before)) return [];
  if (schemaOf(RESOURCE_SCHEMAS, after.Type).isDeletedFirst === true) return [];
  return [
    {
      rule: 'NamedReplacement',
      stack,
      resource: logicalId,
      why: `${causes.join(' and ')} of ${after.Type} '${name}' can be set only at creation, and the resource keeps its name: CloudFormation would have to create the new resource before it deletes the old one`,
      wayOut: `change its name, too, or leave ${causes.join(' and ')} as it is`,
    },
  ];
}

function emptied({ stack, logicalId, before, after }: KeptResource, causes: readonly string[]): readonly Obstacle[] {
  if (!HOLDS_DATA.has(after.Type)) return [];
  const left = before.DeletionPolicy === 'Retain' ? 'stays behind, no longer part of the stack' : 'is deleted';
  return [
    {
      rule: 'DataLeftBehind',
      stack,
      resource: logicalId,
      why: `${causes.join(' and ')} of ${after.Type} ${logicalId} can be set only at creation, so it is replaced: the new resource is empty, and the old one ${left}`,
      wayOut: `leave ${causes.join(' and ')} as it is, or add a second resource and move the data`,
    },
  ];
}

function refusedChanges(update: StackUpdate, kept: KeptResource): readonly Obstacle[] {
  const unchangeable = UNCHANGEABLE[kept.after.Type] ?? {};
  return update.changed(kept, Object.keys(unchangeable)).map((property) => ({
    rule: 'UpdateRefused',
    stack: kept.stack,
    resource: kept.logicalId,
    why: `${property} of ${kept.after.Type} ${kept.logicalId} changes and its name does not: ${unchangeable[property]}`,
    wayOut: 'change its name, too',
  }));
}
