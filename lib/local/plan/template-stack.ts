import type { DeploymentTarget, Template, TemplateResource } from '../assembly/template.ts';

/** One stack on one side of a deployment. A nested one is called `<stack>/<logical id>`. */
export interface TemplateStack {
  readonly name: string;
  readonly template: Template;
  /** What CloudFormation says of it, where it was asked. */
  readonly status?: string;
  readonly target?: DeploymentTarget;
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
