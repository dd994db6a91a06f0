import { DeploymentSide } from './deployment-side.ts';
import { schemaOf } from './resource-schema.ts';
import { RESOURCE_SCHEMAS } from './resource-schemas.ts';
import type { ResourceTemplate, StackTemplate } from './stack-template.ts';

/** A resource that both sides have under one logical id. */
export interface KeptResource {
  readonly stack: string;
  readonly logicalId: string;
  readonly before: ResourceTemplate;
  readonly after: ResourceTemplate;
}

/** What is deployed, what would be, and which resources would be made anew under their logical ids. */
export class StackUpdate {
  readonly before: DeploymentSide;
  readonly after: DeploymentSide;
  private readonly causes = new Map<string, readonly string[]>();

  constructor(before: readonly StackTemplate[], after: readonly StackTemplate[]) {
    this.before = new DeploymentSide(before);
    this.after = new DeploymentSide(after, (stack, logicalId) => this.causesOf(stack, logicalId).length > 0);
  }

  get kept(): readonly KeptResource[] {
    return this.after.stacks.flatMap(({ name, template }) =>
      Object.entries(template.Resources ?? {}).flatMap(([logicalId, after]) => {
        const before = this.before.resource(name, logicalId);
        return before === undefined ? [] : [{ stack: name, logicalId, before, after }];
      }),
    );
  }

  /** The properties for which a resource is made anew. */
  causesOf(stack: string, logicalId: string): readonly string[] {
    const key = `${stack}/${logicalId}`;
    const known = this.causes.get(key);
    if (known !== undefined) return known;
    // Asked for again while it is found out, it is not made anew for its own sake.
    this.causes.set(key, []);
    const causes = this.findCauses(stack, logicalId);
    this.causes.set(key, causes);
    return causes;
  }

  /** Properties whose values differ between the sides. */
  changed({ stack, before, after }: KeptResource, properties: readonly string[]): readonly string[] {
    const [was, is] = [this.before.stack(stack), this.after.stack(stack)];
    if (was === undefined || is === undefined) return [];
    return properties.filter((property) => {
      const [old, value] = [before.Properties?.[property], after.Properties?.[property]];
      if (old === undefined || value === undefined) return old !== value;
      return this.before.textOf(was, old) !== this.after.textOf(is, value);
    });
  }

  private findCauses(stack: string, logicalId: string): readonly string[] {
    const [before, after] = [this.before.resource(stack, logicalId), this.after.resource(stack, logicalId)];
    if (before === undefined || after === undefined || before.Type !== after.Type) return [];
    const { createOnly = [], conditionallyCreateOnly = [], isImmutable } = schemaOf(RESOURCE_SCHEMAS, after.Type);
    const all = [...new Set([...Object.keys(before.Properties ?? {}), ...Object.keys(after.Properties ?? {})])];
    const properties = isImmutable === true ? all : [...createOnly, ...conditionallyCreateOnly];
    return this.changed({ stack, logicalId, before, after }, properties);
  }
}
