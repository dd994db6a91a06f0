import type { DeploymentTarget, Template, TemplateResource } from '../assembly/template.ts';

/** One stack on one side of a deployment. A nested one is called `<stack>/<logical id>`. */
export interface TemplateStack {
  readonly name: string;
  readonly template: Template;
  /** What CloudFormation says of it, where it was asked. */
  readonly status?: string;
  readonly target?: DeploymentTarget;
  /** Names of stacks that are deployed before it, where the assembly says so. */
  readonly dependsOn?: readonly string[];
  /** It is deployed, and the app does not have it any more: a deployment leaves it as it is. */
  readonly isFormer?: boolean;
}

/** Marks the stacks that the app does not have any more. A nested one goes with the stack that it is in. */
export function marked(before: readonly TemplateStack[], app: readonly TemplateStack[]): readonly TemplateStack[] {
  const names = new Set(app.map(rootOf));
  return before.map((stack) => (names.has(rootOf(stack)) ? stack : { ...stack, isFormer: true }));
}

/** The stack itself, or the outermost one that it is nested in. */
export function rootOf({ name }: TemplateStack): string {
  return name.split('/', 1)[0] ?? name;
}

export function resourcesOf(stacks: readonly TemplateStack[], type: string): readonly TemplateResource[] {
  return stacks.flatMap(({ template }) =>
    Object.values(template.Resources ?? {}).filter((resource) => resource.Type === type),
  );
}

/** The environments that functions of these stacks say they belong to. */
export function environmentsOf(stacks: readonly TemplateStack[]): ReadonlySet<string> {
  const names = resourcesOf(stacks, 'AWS::Lambda::Function').map(
    ({ Properties }) =>
      (Properties?.Environment as { readonly Variables?: { readonly BELFRY_ENVIRONMENT?: unknown } } | undefined)
        ?.Variables?.BELFRY_ENVIRONMENT,
  );
  return new Set(names.filter((name) => typeof name === 'string'));
}
