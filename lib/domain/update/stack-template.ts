/** A CloudFormation value: JSON in which any object may be an intrinsic function. */
export type TemplateValue =
  | string
  | number
  | boolean
  | null
  | readonly TemplateValue[]
  | { readonly [key: string]: TemplateValue };

export interface ResourceTemplate {
  readonly Type: string;
  readonly Properties?: { readonly [name: string]: TemplateValue };
  readonly DeletionPolicy?: string;
}

/** A stack as it is deployed, or as it would be. */
export interface StackTemplate {
  readonly name: string;
  readonly template: {
    readonly Resources?: { readonly [logicalId: string]: ResourceTemplate };
    readonly Outputs?: {
      readonly [name: string]: { readonly Value: TemplateValue; readonly Export?: { readonly Name: TemplateValue } };
    };
  };
  /** Names of the stacks that it is deployed after. What it imports is known without. */
  readonly dependsOn?: readonly string[];
  /** Where it goes; left open, it meets all others. */
  readonly target?: { readonly account?: string; readonly region?: string };
}
