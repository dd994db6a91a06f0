import type { TableResource } from '../assembly/resources.ts';
import type { FaultSettings } from '../faults/fault-settings.ts';

/** What the parent tells the DynamoDB process. */
export type DynamoDbProcessRequest =
  | { readonly do: 'createTables'; readonly tables: readonly TableResource[] }
  | { readonly do: 'setClock'; readonly offset: number }
  | { readonly do: 'setFaults'; readonly settings: FaultSettings };

/** What it says when it was not asked. */
export interface DynamoDbProcessNotice {
  readonly struck: string;
}

export type DynamoDbProcessReply =
  | { readonly port: number }
  | { readonly tablesReady: true }
  | { readonly failed: string };
