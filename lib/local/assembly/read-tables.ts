import type { TemplateValue } from '../../domain/update/stack-template.ts';
import type { Intrinsics } from './intrinsics.ts';
import type { TableResource } from './resources.ts';

interface Index {
  readonly IndexName: string;
  readonly KeySchema: TemplateValue;
  readonly Projection: TemplateValue;
}

/** Tables and their CreateTable requests. Capacity, encryption, backups and replicas have no meaning here. */
export function readTables(intrinsics: Intrinsics): TableResource[] {
  return [...intrinsics.resources('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable')].map(
    ({ stack, logicalId, resource }) => {
      const property = (name: string) => intrinsics.property(resource, name, stack);
      const name = intrinsics.reference(stack, logicalId);
      const timeToLive = property('TimeToLiveSpecification') as
        | { AttributeName?: string; Enabled?: boolean }
        | undefined;
      const indexes = (key: string) => {
        const list = (property(key) ?? []) as unknown as Index[];
        return list.length === 0
          ? {}
          : { [key]: list.map(({ IndexName, KeySchema, Projection }) => ({ IndexName, KeySchema, Projection })) };
      };
      return {
        name,
        create: {
          TableName: name,
          AttributeDefinitions: property('AttributeDefinitions'),
          KeySchema: property('KeySchema'),
          BillingMode: 'PAY_PER_REQUEST',
          ...indexes('GlobalSecondaryIndexes'),
          ...indexes('LocalSecondaryIndexes'),
        },
        ...(timeToLive?.AttributeName !== undefined && timeToLive.Enabled !== false
          ? { timeToLive: timeToLive.AttributeName }
          : {}),
      };
    },
  );
}
