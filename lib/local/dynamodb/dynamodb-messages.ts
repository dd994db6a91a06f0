import type { TableResource } from '../assembly/resources.ts';

/** What the parent tells the DynamoDB process. */
export type DynamoDbProcessRequest =
  | { readonly do: 'createTables'; readonly tables: readonly TableResource[] }
  | { readonly do: 'setClock'; readonly offset: number };

export type DynamoDbProcessReply =
  | { readonly port: number }
  | { readonly tablesReady: true }
  | { readonly failed: string };
