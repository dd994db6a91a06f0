import { gunzipSync, gzipSync } from 'node:zlib';
import { assertReadable, CONTRACT_VERSION } from '../../domain/contract/version.ts';
import type { WatchState } from '../../domain/watch/watch-state.ts';
import type { Item } from './watchdog-items.ts';

/** What grows with what is going on; the rest of the state is small whatever happens. */
type Bulk = Pick<WatchState, 'open' | 'effectiveFrom' | 'pauses' | 'incidents'>;

/** Up to here the bulk stays readable in the state's own item. */
const INLINE_BYTES = 30_000;
/** DynamoDB takes 400 KB an item, keys and names included. */
const PART_BYTES = 350_000;

export interface WrittenState {
  readonly attributes: Item;
  /** What does not fit beside the rest: each part is an item of its own, saved under the write's name. */
  readonly parts: readonly Uint8Array[];
}

/** @param writeId names this write, and the parts that belong to it */
export function writeState(state: WatchState, writeId: string): WrittenState {
  const { open, effectiveFrom, pauses, incidents } = state;
  const bulk: Bulk = { open, effectiveFrom, pauses, incidents };
  const text = JSON.stringify(bulk);
  const attributes: Item = {
    sweptAt: { N: String(state.sweptAt) },
    lastAt: { N: String(state.lastAt) },
    epochs: { S: JSON.stringify(state.epochs) },
    version: { N: String(state.version) },
    writeId: { S: writeId },
    contract: { N: String(CONTRACT_VERSION) },
  };
  if (Buffer.byteLength(text) <= INLINE_BYTES) return { attributes: { ...attributes, bulk: { S: text } }, parts: [] };
  const packed = gzipSync(text);
  if (packed.length <= PART_BYTES) return { attributes: { ...attributes, packed: { B: packed } }, parts: [] };
  const parts: Uint8Array[] = [];
  for (let start = 0; start < packed.length; start += PART_BYTES)
    parts.push(packed.subarray(start, start + PART_BYTES));
  return { attributes: { ...attributes, parts: { N: String(parts.length) } }, parts };
}

/** A state as it was written: the write's name, and in how many parts beside its item. */
export interface StoredWrite {
  readonly writeId: string;
  readonly version: number;
  readonly parts: number;
}

export function storedWrite(item: Item | undefined): StoredWrite | undefined {
  if (item === undefined) return undefined;
  return { writeId: item.writeId?.S ?? '', version: Number(item.version?.N), parts: Number(item.parts?.N ?? 0) };
}

/** @throws BelfryError `WrittenByNewerRelease` */
export function readState(item: Item, parts: readonly Uint8Array[]): WatchState {
  assertReadable("the watchdog's state", Number(item.contract?.N));
  const packed = item.packed?.B ?? (parts.length > 0 ? Buffer.concat(parts) : undefined);
  const text = packed === undefined ? (item.bulk?.S ?? '{}') : gunzipSync(packed).toString('utf8');
  const { open = [], effectiveFrom = {}, pauses = {}, incidents = [] } = JSON.parse(text) as Partial<Bulk>;
  return {
    sweptAt: Number(item.sweptAt?.N),
    lastAt: Number(item.lastAt?.N),
    epochs: JSON.parse(item.epochs?.S ?? '[]') as WatchState['epochs'],
    open,
    effectiveFrom,
    pauses,
    incidents,
    version: Number(item.version?.N),
  };
}
