/** What CloudFormation takes in one template. The bytes are those of a template that is uploaded, as the CDK does. */
export const TEMPLATE_LIMITS = { resources: 500, outputs: 200, bytes: 1_000_000 } as const;

export const NAMES_OF_LIMITS = { resources: 'resources', outputs: 'outputs', bytes: 'bytes of template' } as const;

export type TemplateSize = Readonly<Record<keyof typeof TEMPLATE_LIMITS, number>>;

interface MeasuredTemplate {
  readonly Resources?: object;
  readonly Outputs?: object;
}

export interface ExceededLimit {
  readonly limit: keyof TemplateSize;
  readonly size: number;
  readonly allowed: number;
}

/** @param text the template as it is uploaded; left out, as the CDK writes it */
export function sizeOfTemplate(
  template: MeasuredTemplate,
  text = JSON.stringify(template, undefined, 1),
): TemplateSize {
  return {
    resources: Object.keys(template.Resources ?? {}).length,
    outputs: Object.keys(template.Outputs ?? {}).length,
    bytes: new TextEncoder().encode(text).length,
  };
}

/** The limits that a template of this size is above. */
export function exceededLimits(size: Partial<TemplateSize>): readonly ExceededLimit[] {
  return (['resources', 'outputs', 'bytes'] as const).flatMap((limit) => {
    const is = size[limit] ?? 0;
    return is > TEMPLATE_LIMITS[limit] ? [{ limit, size: is, allowed: TEMPLATE_LIMITS[limit] }] : [];
  });
}
