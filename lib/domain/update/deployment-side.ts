import { SERVICE_IDENTITY, schemaOf } from './resource-schema.ts';
import { RESOURCE_SCHEMAS } from './resource-schemas.ts';
import type { ResourceTemplate, StackTemplate, TemplateValue } from './stack-template.ts';

/** Whether a resource is another one than before, though its logical id is the same. */
export type IsReplaced = (stack: string, logicalId: string) => boolean;

/**
 * The stacks of one side, and what their values come to as far as that is known beforehand: literal text where it can be
 * settled, a token where only CloudFormation can say. Equal texts are equal values.
 */
export class DeploymentSide {
  readonly stacks: readonly StackTemplate[];
  private readonly byName: ReadonlyMap<string, StackTemplate>;
  private readonly exported = new Map<string, { readonly stack: StackTemplate; readonly value: TemplateValue }>();
  private readonly isReplaced: IsReplaced;

  /** @param isReplaced what is new though it is called as before: its attributes are others */
  constructor(stacks: readonly StackTemplate[], isReplaced: IsReplaced = () => false) {
    this.stacks = stacks;
    this.isReplaced = isReplaced;
    this.byName = new Map(stacks.map((stack) => [stack.name, stack]));
    for (const stack of stacks) {
      for (const { name, value } of this.exportsOf(stack)) this.exported.set(name, { stack, value });
    }
  }

  stack(name: string): StackTemplate | undefined {
    return this.byName.get(name);
  }

  resource(stack: string, logicalId: string): ResourceTemplate | undefined {
    return this.byName.get(stack)?.template.Resources?.[logicalId];
  }

  exportsOf(stack: StackTemplate): readonly { readonly name: string; readonly value: TemplateValue }[] {
    return Object.values(stack.template.Outputs ?? {}).flatMap(({ Value, Export }) =>
      Export === undefined ? [] : [{ name: this.textOf(stack, Export.Name), value: Value }],
    );
  }

  /** Names of the exports that a stack imports. */
  importsOf(stack: StackTemplate): ReadonlySet<string> {
    const names = new Set<string>();
    const visit = (value: TemplateValue): void => {
      if (Array.isArray(value)) for (const item of value) visit(item);
      if (!isObject(value)) return;
      for (const [key, within] of Object.entries(value)) {
        if (key === 'Fn::ImportValue') names.add(this.textOf(stack, within));
        else visit(within);
      }
    };
    const { Resources = {}, Outputs = {} } = stack.template;
    for (const { Properties = {} } of Object.values(Resources)) visit(Properties);
    for (const { Value } of Object.values(Outputs)) visit(Value);
    return names;
  }

  /** Names of the stacks that are deployed before this one, whatever is done at a time. */
  predecessorsOf(name: string): ReadonlySet<string> {
    const found = new Set<string>();
    const waiting = [name];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const stack = this.byName.get(next);
      if (stack === undefined) continue;
      const imported = [...this.importsOf(stack)].map((entry) => this.exported.get(entry)?.stack.name);
      for (const other of [...(stack.dependsOn ?? []), ...imported]) {
        if (other === undefined || other === name || found.has(other)) continue;
        found.add(other);
        waiting.push(other);
      }
    }
    return found;
  }

  /**
   * What a resource is known by, where the template says it: no two may have it.
   * @param asService as the service tells them apart, where that is more than CloudFormation does
   */
  identityOf(stack: StackTemplate, { Type, Properties = {} }: ResourceTemplate): string | undefined {
    const { identity = SERVICE_IDENTITY[Type] } = schemaOf(RESOURCE_SCHEMAS, Type);
    if (identity === undefined) return undefined;
    const [name = ''] = identity;
    if (Properties[name] === undefined) return undefined;
    return identity.map((property) => this.textOf(stack, Properties[property] ?? '')).join(' ');
  }

  /** A value as text. */
  textOf(stack: StackTemplate, value: TemplateValue): string {
    if (Array.isArray(value)) return `[${value.map((item) => this.textOf(stack, item)).join(',')}]`;
    if (!isObject(value)) return String(value);
    const [entry, ...others] = Object.entries(value);
    const settled = entry === undefined || others.length > 0 ? undefined : this.intrinsic(stack, ...entry);
    if (settled !== undefined) return settled;
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([key, within]) => `${key}:${this.textOf(stack, within)}`).join(',')}}`;
  }

  private intrinsic(stack: StackTemplate, name: string, value: TemplateValue): string | undefined {
    if (name === 'Ref') return this.reference(stack, String(value));
    if (name === 'Fn::GetAtt') {
      const [logicalId = '', ...path] = Array.isArray(value) ? value.map(String) : String(value).split('.');
      return this.attribute(stack, logicalId, path.join('.'));
    }
    if (name === 'Fn::ImportValue') {
      const imported = this.textOf(stack, value);
      const from = this.exported.get(imported);
      return from === undefined ? `<import ${imported}>` : this.textOf(from.stack, from.value);
    }
    if (name === 'Fn::Join' && Array.isArray(value)) {
      const [separator = '', parts = []] = value;
      if (Array.isArray(parts)) return parts.map((part) => this.textOf(stack, part)).join(String(separator));
    }
    if (name === 'Fn::Sub') {
      const [text = '', given = {}] = Array.isArray(value) ? value : [value];
      return this.substituted(stack, String(text), isObject(given) ? given : {});
    }
    return undefined;
  }

  private substituted(stack: StackTemplate, text: string, given: { readonly [name: string]: TemplateValue }): string {
    return text.replaceAll(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
      if (literal !== '') return `\${${name}}`;
      const own = given[name];
      if (own !== undefined) return this.textOf(stack, own);
      const [logicalId = '', ...path] = name.split('.');
      return path.length === 0 ? this.reference(stack, name) : this.attribute(stack, logicalId, path.join('.'));
    });
  }

  private reference(stack: StackTemplate, name: string): string {
    if (name === 'AWS::Region') return stack.target?.region ?? '<region>';
    if (name === 'AWS::AccountId') return stack.target?.account ?? '<account>';
    if (name === 'AWS::StackName') return stack.name;
    const resource = this.resource(stack.name, name);
    if (resource === undefined) return `<${name}>`;
    const { identity = [] } = schemaOf(RESOURCE_SCHEMAS, resource.Type);
    const literal = identity.length === 1 && identity[0] !== undefined ? resource.Properties?.[identity[0]] : undefined;
    // Of the types whose identity is a name, those whose reference is an ARN or a URL made of it are as settled as it is.
    return literal === undefined ? this.token(stack, name) : this.textOf(stack, literal);
  }

  private attribute(stack: StackTemplate, logicalId: string, attribute: string): string {
    const resource = this.resource(stack.name, logicalId);
    if (resource === undefined) return `<${logicalId}.${attribute}>`;
    // Each new stream has another ARN.
    const version =
      attribute === 'StreamArn' ? this.textOf(stack, resource.Properties?.StreamSpecification ?? 'none') : '';
    return `<${resource.Type} ${this.reference(stack, logicalId)}.${attribute}${version}>`;
  }

  private token(stack: StackTemplate, logicalId: string): string {
    return `<${stack.name}/${logicalId}${this.isReplaced(stack.name, logicalId) ? ' made anew' : ''}>`;
  }
}

function isObject(value: TemplateValue | undefined): value is { readonly [key: string]: TemplateValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
