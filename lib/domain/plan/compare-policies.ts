import type { PlannedJob } from './deployment.ts';

export type PolicyValue = string | number | boolean | readonly string[];

/** One property of a job that differs. */
export interface PolicyChange {
  /** Where it stands in the job's definition, e.g. `overlap`, `retry.maxAttempts`, `timeoutMs`; or `enabled`. */
  readonly policy: string;
  /** Undefined when it was not set. */
  readonly before?: PolicyValue;
  readonly after?: PolicyValue;
}

/** Told apart elsewhere: a name is no policy, and the revision follows from the schedule. */
const NO_POLICY = new Set(['name', 'renamedFrom', 'revision']);

export function comparePolicies(before: PlannedJob, after: PlannedJob): readonly PolicyChange[] {
  const [was, is] = [policiesOf(before), policiesOf(after)];
  const names = [...new Set([...was.keys(), ...is.keys()])];
  return names.flatMap((policy) => {
    const [one, other] = [was.get(policy), is.get(policy)];
    if (JSON.stringify(one) === JSON.stringify(other)) return [];
    return [
      { policy, ...(one === undefined ? {} : { before: one }), ...(other === undefined ? {} : { after: other }) },
    ];
  });
}

function policiesOf({ definition, isEnabled }: PlannedJob): ReadonlyMap<string, PolicyValue> {
  const { schedule, ...rest } = definition;
  return new Map<string, PolicyValue>([
    ['enabled', isEnabled],
    ['schedule', [schedule].flat()],
    ...flatten(rest).filter(([name]) => !NO_POLICY.has(name)),
  ]);
}

function flatten(value: object, path = ''): [string, PolicyValue][] {
  return Object.entries(value).flatMap(([key, inner]: [string, PolicyValue | object | undefined]) => {
    const name = `${path}${key}`;
    if (inner === undefined) return [];
    return typeof inner === 'object' && !Array.isArray(inner)
      ? flatten(inner, `${name}.`)
      : [[name, inner as PolicyValue] satisfies [string, PolicyValue]];
  });
}
