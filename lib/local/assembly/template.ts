import type { TemplateValue } from '../../domain/update/stack-template.ts';

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: { readonly [key: string]: TemplateValue };
  readonly Metadata?: { readonly [key: string]: TemplateValue };
  readonly Condition?: string;
}

export interface Template {
  readonly Description?: string;
  readonly Parameters?: { readonly [name: string]: { readonly Type: string; readonly Default?: string } };
  readonly Mappings?: {
    readonly [name: string]: { readonly [key: string]: { readonly [key: string]: TemplateValue } };
  };
  readonly Conditions?: { readonly [name: string]: TemplateValue };
  readonly Resources?: { readonly [logicalId: string]: TemplateResource };
  readonly Outputs?: {
    readonly [name: string]: { readonly Value: TemplateValue; readonly Export?: { readonly Name: TemplateValue } };
  };
}

/** An account and a Region; what the app leaves open is undefined. */
export interface DeploymentTarget {
  readonly account?: string;
  readonly region?: string;
}

/** One stack of the cloud assembly. */
export interface Stack {
  readonly name: string;
  readonly template: Template;
  /** Asset hash -> folder or file on disk. */
  readonly assets: ReadonlyMap<string, string>;
  /** Where it goes, where the app says so. */
  readonly target?: DeploymentTarget;
  /** Names of stacks that are deployed before it. */
  readonly dependsOn?: readonly string[];
}
