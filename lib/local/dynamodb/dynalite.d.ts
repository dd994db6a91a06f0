/** The parts of dynalite that are used without its HTTP server. Its package has no `exports`: any file can be asked for. */
declare module 'dynalite/db/index.js' {
  import type { Readable } from 'node:stream';

  export interface DynaliteTable {
    readonly TableName: string;
    readonly TableStatus: string;
    readonly KeySchema: readonly { readonly AttributeName: string }[];
    readonly AttributeDefinitions: readonly {
      readonly AttributeName: string;
      readonly AttributeType: 'S' | 'N' | 'B';
    }[];
    readonly GlobalSecondaryIndexes?: readonly DynaliteIndex[];
    readonly LocalSecondaryIndexes?: readonly DynaliteIndex[];
  }

  export interface DynaliteIndex {
    readonly IndexName: string;
  }

  export type BatchOperation =
    | { readonly type: 'put'; readonly key: string; readonly value: unknown; readonly valueEncoding?: 'utf8' }
    | { readonly type: 'del'; readonly key: string };

  export interface KeyRange {
    readonly gt?: string;
    readonly gte?: string;
    readonly lt?: string;
    readonly lte?: string;
    readonly reverse?: boolean;
    readonly limit?: number;
    readonly valueEncoding?: 'utf8';
  }

  export interface LevelIterator<Entry> {
    nextv(size: number): Promise<Entry[]>;
    close(): Promise<void>;
  }

  type Called = (error: unknown, value?: unknown) => void;

  /** LevelDB as dynalite opens it: values are JSON, and writes can be told of with a callback. */
  export interface DynaliteLevel {
    readonly status: 'opening' | 'open' | 'closing' | 'closed';
    open(options?: { readonly cacheSize: number; readonly writeBufferSize: number }): Promise<void>;
    getSync(key: string, options: { readonly valueEncoding: 'utf8' }): string | undefined;
    keys(range?: KeyRange): LevelIterator<string>;
    /** With `valueEncoding` as texts, otherwise as what they are JSON of. */
    values<Value = unknown>(range?: KeyRange): LevelIterator<Value>;
    iterator<Value>(range?: KeyRange): LevelIterator<readonly [key: string, value: Value]>;
    createKeyStream(range?: KeyRange): Readable;
    createValueStream(range?: KeyRange): Readable;
    put(key: string, value: unknown, called: Called): void;
    del(key: string, called: Called): void;
    batch(operations: readonly BatchOperation[], called: Called): void;
  }

  /** What a database class gives each of its instances, before dynalite wraps it. */
  export interface PlainLevel {
    close(): Promise<void>;
    batch(operations: readonly BatchOperation[]): Promise<void>;
  }

  export interface DynaliteStore {
    readonly db: DynaliteLevel;
  }

  interface IndexActions {
    readonly puts: readonly { readonly index: string; readonly key: string; readonly item: unknown }[];
    readonly deletes: readonly { readonly index: string; readonly key: string }[];
  }

  interface Dynalite {
    create(options: {
      readonly path?: string;
      readonly createTableMs: number;
      readonly deleteTableMs: number;
      readonly updateTableMs: number;
    }): DynaliteStore;
    hashPrefix(value: string, type: string): string;
    toRangeStr(value: string, type: string): string;
    validateItem(item: object, table: DynaliteTable): Error | null | undefined;
    getIndexActions(
      indexes: readonly DynaliteIndex[],
      before: object | undefined,
      after: object | undefined,
      table: DynaliteTable,
    ): IndexActions;
  }

  const dynalite: Dynalite;
  export default dynalite;
}

declare module 'dynalite' {
  import type { IncomingMessage, Server, ServerResponse } from 'node:http';

  /** A server that answers the DynamoDB API from memory. */
  export default function dynalite(options?: {
    readonly createTableMs?: number;
  }): Server<typeof IncomingMessage, typeof ServerResponse>;
}
