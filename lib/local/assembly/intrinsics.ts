import { BelfryError } from '../../domain/errors.ts';
import type { TemplateValue } from '../../domain/update/stack-template.ts';
import { ACCOUNT, REGION } from './local-account.ts';
import { attributeOf, physicalName, referenceOf } from './physical-names.ts';
import type { Stack, TemplateResource } from './template.ts';

const NO_VALUE = Symbol('AWS::NoValue');

/**
 * Computes the values of a template's intrinsic functions, as CloudFormation would have after deployment. Physical names
 * that CloudFormation would make up are made from the logical id, so they stay the same from run to run.
 */
export class Intrinsics {
  readonly #stacks: readonly Stack[];
  readonly #exports = new Map<string, { readonly stack: Stack; readonly value: TemplateValue }>();

  constructor(stacks: readonly Stack[]) {
    this.#stacks = stacks;
    for (const stack of stacks) {
      for (const output of Object.values(stack.template.Outputs ?? {})) {
        if (output.Export !== undefined)
          this.#exports.set(String(this.resolve(output.Export.Name, stack)), { stack, value: output.Value });
      }
    }
  }

  /** All resources of one type whose condition holds, in template order. */
  *resources(
    ...types: string[]
  ): Generator<{ readonly stack: Stack; readonly logicalId: string; readonly resource: TemplateResource }> {
    for (const stack of this.#stacks) {
      for (const [logicalId, resource] of Object.entries(stack.template.Resources ?? {})) {
        if (types.length > 0 && !types.includes(resource.Type)) continue;
        if (resource.Condition !== undefined && !this.#condition(resource.Condition, stack)) continue;
        yield { stack, logicalId, resource };
      }
    }
  }

  /** Plain JSON with all intrinsic functions computed. */
  resolve(value: TemplateValue, stack: Stack): TemplateValue | undefined {
    const resolved = this.#resolve(value, stack);
    return resolved === NO_VALUE ? undefined : (resolved as TemplateValue);
  }

  /** The resource's properties, resolved. A property that cannot be computed is an error only if it is asked for. */
  property(resource: TemplateResource, name: string, stack: Stack): TemplateValue | undefined {
    const value = resource.Properties?.[name];
    return value === undefined ? undefined : this.resolve(value, stack);
  }

  /** Name, ARN and whatever else of a resource. */
  reference(stack: Stack, logicalId: string): string {
    return String(this.#ref(logicalId, stack));
  }

  attribute(stack: Stack, logicalId: string, attribute: string): string {
    return String(this.#getAtt([logicalId, attribute], stack));
  }

  #resolve(value: TemplateValue, stack: Stack): TemplateValue | typeof NO_VALUE {
    if (typeof value !== 'object' || value === null) return value;
    if (isList(value)) {
      return value.map((entry) => this.#resolve(entry, stack)).filter((entry) => entry !== NO_VALUE) as TemplateValue[];
    }
    const keys = Object.keys(value);
    const [key] = keys;
    if (keys.length === 1 && key !== undefined && (key === 'Ref' || key === 'Condition' || key.startsWith('Fn::'))) {
      return this.#call(key, value[key] as TemplateValue, stack);
    }
    const entries = keys.map((name) => [name, this.#resolve(value[name] as TemplateValue, stack)] as const);
    return Object.fromEntries(entries.filter(([, entry]) => entry !== NO_VALUE)) as TemplateValue;
  }

  #call(name: string, argument: TemplateValue, stack: Stack): TemplateValue | typeof NO_VALUE {
    const list = () => this.#list(argument, stack, name);
    switch (name) {
      case 'Ref':
        return this.#ref(String(argument), stack);
      case 'Fn::GetAtt':
        return this.#getAtt(typeof argument === 'string' ? argument.split('.') : (argument as TemplateValue[]), stack);
      case 'Fn::Join': {
        const [separator, parts] = list();
        return (parts as TemplateValue[]).map(String).join(String(separator));
      }
      case 'Fn::Sub':
        return this.#sub(argument, stack);
      case 'Fn::Select': {
        const [index, from] = list();
        return (from as TemplateValue[])[Number(index)] ?? '';
      }
      case 'Fn::Split': {
        const [separator, text] = list();
        return String(text).split(String(separator));
      }
      case 'Fn::If': {
        const [condition, yes, no] = argument as TemplateValue[];
        return this.#resolve((this.#condition(String(condition), stack) ? yes : no) ?? '', stack);
      }
      case 'Fn::ImportValue': {
        const exportName = String(this.#resolve(argument, stack));
        const exported = this.#exports.get(exportName);
        if (exported === undefined) {
          throw new BelfryError(
            'UnknownExport',
            `stack '${stack.name}' imports '${exportName}', which no stack of this environment exports`,
          );
        }
        return this.#resolve(exported.value, exported.stack);
      }
      case 'Fn::FindInMap': {
        const [map, first, second] = list();
        return stack.template.Mappings?.[String(map)]?.[String(first)]?.[String(second)] ?? '';
      }
      case 'Fn::Base64':
        return Buffer.from(String(this.#resolve(argument, stack))).toString('base64');
      case 'Fn::GetAZs':
        return ['a', 'b', 'c'].map((zone) => `${REGION}${zone}`);
      case 'Condition':
      case 'Fn::Equals':
      case 'Fn::And':
      case 'Fn::Or':
      case 'Fn::Not':
        return this.#holds({ [name]: argument }, stack);
      default:
        throw new BelfryError(
          'UnsupportedIntrinsic',
          `stack '${stack.name}' uses ${name}, which the local runtime does not know`,
        );
    }
  }

  #list(argument: TemplateValue, stack: Stack, name: string): TemplateValue[] {
    const resolved = this.#resolve(argument, stack);
    if (!Array.isArray(resolved))
      throw new BelfryError('MalformedTemplate', `${name} in stack '${stack.name}' needs a list`);
    return resolved;
  }

  #ref(name: string, stack: Stack): TemplateValue | typeof NO_VALUE {
    switch (name) {
      case 'AWS::AccountId':
        return ACCOUNT;
      case 'AWS::Region':
        return REGION;
      case 'AWS::Partition':
        return 'aws';
      case 'AWS::URLSuffix':
        return 'amazonaws.com';
      case 'AWS::StackName':
        return stack.name;
      case 'AWS::StackId':
        return `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/${stack.name}/local`;
      case 'AWS::NotificationARNs':
        return [];
      case 'AWS::NoValue':
        return NO_VALUE;
      default:
    }
    const parameter = stack.template.Parameters?.[name];
    if (parameter !== undefined) return parameter.Default ?? '';
    const resource = this.#resource(name, stack);
    return referenceOf(resource.Type, this.#name(name, resource, stack));
  }

  #getAtt([logicalId, ...path]: readonly TemplateValue[], stack: Stack): TemplateValue {
    const resource = this.#resource(String(logicalId), stack);
    const attribute = path.join('.');
    const name = this.#name(String(logicalId), resource, stack);
    const value = attributeOf(resource.Type, attribute, name, this.#reader(resource, stack));
    if (value === undefined) {
      throw new BelfryError(
        'UnsupportedAttribute',
        `stack '${stack.name}' reads ${attribute} of '${String(logicalId)}' (${resource.Type}), which the local runtime cannot know`,
      );
    }
    return value;
  }

  #resource(logicalId: string, stack: Stack): TemplateResource {
    const resource = stack.template.Resources?.[logicalId];
    if (resource === undefined)
      throw new BelfryError(
        'MalformedTemplate',
        `stack '${stack.name}' refers to '${logicalId}', which it does not declare`,
      );
    return resource;
  }

  #name(logicalId: string, resource: TemplateResource, stack: Stack): string {
    return physicalName(resource.Type, stack.name, logicalId, this.#reader(resource, stack));
  }

  #reader(resource: TemplateResource, stack: Stack): (property: string) => string | undefined {
    return (property) => {
      const value = this.property(resource, property, stack);
      return value === undefined ? undefined : String(value);
    };
  }

  #sub(argument: TemplateValue, stack: Stack): string {
    const [text, own] = isList(argument) ? argument : [argument, {}];
    const variables = (own ?? {}) as { readonly [name: string]: TemplateValue };
    return String(text).replace(/\$\{(!?)([^}]+)\}/g, (_match, literal: string, name: string) => {
      if (literal === '!') return `\${${name}}`;
      const variable = variables[name];
      if (variable !== undefined) return String(this.#resolve(variable, stack));
      return String(name.includes('.') ? this.#getAtt(splitOnce(name), stack) : this.#ref(name, stack));
    });
  }

  #condition(name: string, stack: Stack): boolean {
    const condition = stack.template.Conditions?.[name];
    if (condition === undefined)
      throw new BelfryError('MalformedTemplate', `stack '${stack.name}' has no condition '${name}'`);
    return this.#holds(condition, stack);
  }

  #holds(condition: TemplateValue, stack: Stack): boolean {
    if (typeof condition !== 'object' || condition === null || isList(condition))
      return condition === true || condition === 'true';
    const [[name, argument] = ['', null]] = Object.entries(condition);
    const parts = isList(argument) ? argument : [];
    if (name === 'Condition') return this.#condition(String(argument), stack);
    if (name === 'Fn::And') return parts.every((part) => this.#holds(part, stack));
    if (name === 'Fn::Or') return parts.some((part) => this.#holds(part, stack));
    if (name === 'Fn::Not') return !this.#holds(parts[0] ?? false, stack);
    if (name === 'Fn::Equals') {
      const [left, right] = parts.map((part) => JSON.stringify(this.resolve(part, stack)));
      return left === right;
    }
    throw new BelfryError(
      'UnsupportedIntrinsic',
      `stack '${stack.name}' uses ${name} in a condition, which the local runtime does not know`,
    );
  }
}

function isList(value: TemplateValue | undefined): value is readonly TemplateValue[] {
  return Array.isArray(value);
}

function splitOnce(path: string): [string, string] {
  const dot = path.indexOf('.');
  return [path.slice(0, dot), path.slice(dot + 1)];
}
