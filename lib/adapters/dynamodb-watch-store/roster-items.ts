import { rosterSortKey } from '../../domain/contract/run-table-keys.ts';
import type { RosterEntry } from '../../domain/watch/watch-state.ts';
import type { Item } from './watchdog-items.ts';

/** DynamoDB takes 400 KB an item, keys and names included. */
const CHUNK_BYTES = 300_000;

/** A roster as items, in order. Each holds as many definitions as fit, and says how many items there are. */
export function rosterItems(digest: string, roster: readonly RosterEntry[]): readonly Item[] {
  const chunks: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const entry of roster) {
    const text = JSON.stringify(entry);
    const size = Buffer.byteLength(text) + 1;
    if (bytes + size > CHUNK_BYTES) {
      chunks.push([]);
      bytes = 0;
    }
    chunks.at(-1)?.push(text);
    bytes += size;
  }
  return chunks.map((entries, index) => ({
    sk: { S: rosterSortKey(digest, index) },
    entries: { S: `[${entries.join(',')}]` },
    of: { N: String(chunks.length) },
  }));
}

/** @param items all that are saved under the digest; what an earlier save of more items left behind is not counted */
export function readRoster(items: readonly Item[]): readonly RosterEntry[] {
  const count = Number(items[0]?.of?.N ?? 0);
  return items.slice(0, count).flatMap((item) => JSON.parse(item.entries?.S ?? '[]') as RosterEntry[]);
}
