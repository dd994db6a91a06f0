import { Readable } from 'node:stream';
import dynalite, {
  type BatchOperation,
  type DynaliteLevel,
  type DynaliteStore,
  type DynaliteTable,
  type KeyRange,
  type PlainLevel,
} from 'dynalite/db/index.js';
import { operationsOf } from './batch-operations.ts';
import type { Item } from './expression/attribute-value.ts';
import { piecewise } from './piecewise.ts';
import { RecentItems } from './recent-items.ts';
import { RecentRanges } from './recent-ranges.ts';

/** The usual ones of LevelDB are four times as large, and a month of runs fits into these. */
const MEMORY = { cacheSize: 2 * 1024 * 1024, writeBufferSize: 1024 * 1024 };
const TEXT = { valueEncoding: 'utf8' } as const;
/** What the keys of all items begin with. */
const ITEMS = 'item-';

/** What becomes of one item: written when there is an `after`, deleted when there is none. */
export interface Change {
  readonly table: DynaliteTable;
  /** As `storageKey` makes it. */
  readonly key: string;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  /** `after` as JSON. */
  readonly json: string | undefined;
}

/** An item that was written in a table that is watched. */
export type TellChange = (change: {
  readonly tableName: string;
  readonly key: Item;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}) => void;

interface Group {
  readonly operations: BatchOperation[];
  readonly written: Promise<void>;
}

/**
 * The store that dynalite keeps its tables in: a LevelDB, in which everything of one change, and all changes that are
 * written together, are one batch. What has been written survives the end of the process at any moment.
 */
export class DynamoDbStore {
  /** Folder; undefined for one in memory. */
  readonly path: string | undefined;
  readonly #dynalite: DynaliteStore;
  readonly #level: DynaliteLevel;
  readonly #plain: PlainLevel;
  readonly #tables = new Map<string, DynaliteTable>();
  readonly #recent = new RecentItems();
  readonly #ranges = new RecentRanges();
  #watched: ReadonlySet<string> = new Set();
  #tell: TellChange = () => {};
  #next: Group | undefined;
  #last: Promise<void> = Promise.resolve();
  #failure: Error | undefined;
  #reopening: Promise<void> | undefined;

  private constructor(path: string | undefined) {
    this.path = path;
    const location = path === undefined ? {} : { path };
    this.#dynalite = dynalite.create({ ...location, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
    this.#level = this.#dynalite.db;
    this.#plain = Object.getPrototypeOf(this.#level) as PlainLevel;
    this.#writeInTurn();
    this.#closeWhatIsRead();
  }

  /**
   * @param path folder; in memory without one
   * @throws Error when the folder cannot be used, or is in use
   */
  static async open(path?: string): Promise<DynamoDbStore> {
    const store = new DynamoDbStore(path);
    await store.#level.open(MEMORY);
    return store;
  }

  /** What dynalite's own operations work on. */
  get forDynalite(): DynaliteStore {
    return this.#dynalite;
  }

  /** Why nothing can be written until `recover` was successful; undefined when all is well. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Tells of every change of an item in these tables, in the order of writing, once it is stored. */
  watch(tableNames: ReadonlySet<string>, tell: TellChange): void {
    this.#watched = tableNames;
    this.#tell = tell;
  }

  /** A table that is there and active. */
  table(name: string): DynaliteTable | undefined {
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    const text = this.#level.getSync(`table~${name}`, TEXT);
    const table = text === undefined ? undefined : (JSON.parse(text) as DynaliteTable);
    if (table?.TableStatus !== 'ACTIVE') return undefined;
    this.#tables.set(name, table);
    return table;
  }

  forgetTables(): void {
    this.#tables.clear();
  }

  get(key: string): Item | undefined {
    const json = this.json(key);
    return json === undefined ? undefined : (JSON.parse(json) as Item);
  }

  /** An item as JSON. */
  json(key: string): string | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const stored = this.#level.getSync(key, TEXT);
    if (stored !== undefined) this.#recent.set(key, stored);
    return stored;
  }

  /** The items' JSON, in the order of their keys or against it, up to `limit`. */
  async range({ reverse = false, limit, ...bounds }: Omit<KeyRange, 'valueEncoding'>): Promise<string[]> {
    const known = this.#ranges.get(bounds);
    if (known !== undefined) {
      const inOrder = reverse ? known.toReversed() : known;
      return inOrder.slice(0, limit).flatMap((key) => this.json(key) ?? []);
    }
    const tell = this.#ranges.reading(bounds);
    const keys: string[] = [];
    const found: string[] = [];
    const upTo = limit === undefined ? {} : { limit };
    for await (const [key, text] of piecewise(this.#level.iterator<string>({ ...bounds, reverse, ...upTo, ...TEXT }))) {
      keys.push(key);
      found.push(text);
    }
    if (limit === undefined || keys.length < limit) tell(reverse ? keys.toReversed() : keys);
    return found;
  }

  /** All items of a table, some at a time. */
  async *items(tableName: string): AsyncGenerator<Item> {
    const prefix = itemsOf(tableName);
    const texts = piecewise(this.#level.values<string>({ gte: prefix, lt: `${prefix}~`, ...TEXT }));
    for await (const text of texts) yield JSON.parse(text) as Item;
  }

  /**
   * Writes all changes or none, with what they change in indexes.
   * @throws Error when the store cannot be written; then `failure` is set
   */
  write(changes: readonly Change[]): Promise<void> {
    return this.#write(changes.flatMap(operationsOf));
  }

  /**
   * Opens the store again after a failed write. LevelDB must not write on: the log that it could not finish a record of
   * is not read beyond that record.
   * @throws Error when it cannot be opened
   */
  async recover(): Promise<void> {
    if (this.#failure === undefined) return;
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = undefined;
    });
    await this.#reopening;
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#plain.close.call(this.#level);
  }

  async #reopen(): Promise<void> {
    await this.close();
    await this.#level.open(MEMORY);
    this.#tables.clear();
    this.#recent.clear();
    this.#ranges.clear();
    this.#failure = undefined;
  }

  #write(operations: readonly BatchOperation[]): Promise<void> {
    // One batch at a time: what comes while one is being written waits for it, and is written together.
    if (this.#next === undefined) {
      const written = this.#last.then(() => this.#writeNext());
      this.#next = { operations: [], written };
      this.#last = written.catch(() => {});
    }
    this.#next.operations.push(...operations);
    return this.#next.written;
  }

  async #writeNext(): Promise<void> {
    const operations = this.#next?.operations ?? [];
    this.#next = undefined;
    if (this.#failure !== undefined) throw this.#failure;
    const changes = this.#watched.size === 0 ? [] : this.#changesIn(operations);
    try {
      await this.#plain.batch.call(this.#level, operations);
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      this.#recent.clear();
      this.#ranges.clear();
      throw this.#failure;
    }
    this.#remember(operations);
    for (const change of changes) this.#tell(change);
  }

  /** What has been written is what is read from now on. */
  #remember(operations: readonly BatchOperation[]): void {
    this.#ranges.written(operations);
    for (const operation of operations) {
      if (!operation.key.startsWith(ITEMS)) continue;
      // Dynalite's own writes are objects, which are left for LevelDB's encoding to make texts of.
      if (operation.type === 'put' && typeof operation.value === 'string')
        this.#recent.set(operation.key, operation.value);
      else this.#recent.delete(operation.key);
    }
  }

  /** What the operations are about to do to items of the tables that are watched. */
  #changesIn(operations: readonly BatchOperation[]): Parameters<TellChange>[0][] {
    const written = new Map<string, Item | undefined>();
    return operations.flatMap((operation) => {
      const [, tableName = ''] = /^item-([^~]+)~/.exec(operation.key) ?? [];
      const table = this.#watched.has(tableName) ? this.table(tableName) : undefined;
      if (table === undefined) return [];
      const before = written.has(operation.key) ? written.get(operation.key) : this.get(operation.key);
      const after = operation.type === 'del' ? undefined : itemOf(operation.value);
      written.set(operation.key, after);
      const item = after ?? before;
      const key = Object.fromEntries(
        table.KeySchema.flatMap(({ AttributeName }) => {
          const value = item?.[AttributeName];
          return value === undefined ? [] : [[AttributeName, value]];
        }),
      );
      return [{ tableName, key, before, after }];
    });
  }

  /** Makes dynalite's own writes wait for their turn like all others. */
  #writeInTurn(): void {
    const write = (operations: readonly BatchOperation[], called: (error: unknown) => void) => {
      this.#write(operations).then(
        () => called(null),
        (error: unknown) => called(error),
      );
    };
    this.#level.put = (key, value, called) => write([{ type: 'put', key, value }], called);
    this.#level.del = (key, called) => write([{ type: 'del', key }], called);
    this.#level.batch = (operations, called) => write(operations, called);
  }

  /** Dynalite leaves open what it reads ranges with, and LevelDB keeps for each what it has seen. */
  #closeWhatIsRead(): void {
    this.#level.createKeyStream = (range) => Readable.from(piecewise(this.#level.keys(range)));
    this.#level.createValueStream = (range) => Readable.from(piecewise(this.#level.values(range)));
  }
}

/** What the keys of all items of a table begin with. */
export function itemsOf(tableName: string): string {
  return `${ITEMS}${tableName}~`;
}

/** Written by dynalite as an object, otherwise as JSON. */
function itemOf(value: unknown): Item {
  return (typeof value === 'string' ? JSON.parse(value) : value) as Item;
}
