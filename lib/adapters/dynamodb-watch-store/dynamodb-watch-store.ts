import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { OccurrenceKey } from '../../domain/contract/occurrence-key.ts';
import {
  digestOfRoster,
  LAST_REQUEST_SORT_KEY,
  readRequestSortKey,
  requestSortKey,
  rosterSortKeys,
  STATE_SORT_KEY,
  statePartSortKey,
  statePartSortKeys,
  versionOfStatePart,
} from '../../domain/contract/run-table-keys.ts';
import { BelfryError } from '../../domain/errors.ts';
import type { WatchPlace, WatchStore } from '../../domain/watch/ports.ts';
import type { RosterEntry, WatchState } from '../../domain/watch/watch-state.ts';
import { readRoster, rosterItems } from './roster-items.ts';
import { readState, type StoredWrite, storedWrite, writeState } from './watch-state-item.ts';
import { type Item, WatchdogItems } from './watchdog-items.ts';

const MOST_REQUESTS = 1_000;
/** While another watchdog moves the state, its parts may go between two reads. */
const MOST_LOADS = 3;

/** The watchdog's place, in the run table under a partition of its own. */
export class DynamoDbWatchStore implements WatchStore {
  readonly #items: WatchdogItems;
  /** The state that was loaded or saved last. */
  #standing: StoredWrite | undefined;

  constructor(client: DynamoDBClient, tableName: string) {
    this.#items = new WatchdogItems(client, tableName);
  }

  async load(): Promise<WatchPlace> {
    for (let loads = 1; ; loads++) {
      const { found, requested } = await this.#place();
      this.#standing = storedWrite(found);
      if (found === undefined || this.#standing === undefined) return { state: undefined, requested };
      const parts = await this.#loadParts(this.#standing);
      if (parts !== undefined) return { state: readState(found, parts), requested };
      if (loads < MOST_LOADS) continue;
      throw new BelfryError(
        'WatchStateIncomplete',
        `parts of the watchdog's state ${this.#standing.writeId} are gone from table ${this.#items.tableName}: somebody deleted them; delete item ${STATE_SORT_KEY} beside them, and the watchdog begins anew`,
      );
    }
  }

  async save(state: WatchState): Promise<boolean> {
    const writeId = `${state.version}#${randomUUID()}`;
    const { attributes, parts } = writeState(state, writeId);
    const written: StoredWrite = { writeId, version: state.version, parts: parts.length };
    for (const [index, part] of parts.entries()) {
      await this.#items.put({ sk: { S: statePartSortKey(writeId, index) }, part: { B: part } });
    }
    const before = state.version === 1 ? undefined : state.version - 1;
    if (!(await this.#items.replaceState(attributes, before))) {
      // Another state stands, and no later write can bring this one back.
      await this.#items.discard(partKeys(written));
      return false;
    }
    const replaced = this.#standing;
    this.#standing = written;
    if (replaced !== undefined) await this.#items.discard(partKeys(replaced));
    return true;
  }

  async loadRoster(digest: string): Promise<readonly RosterEntry[]> {
    return readRoster(await this.#items.withPrefix(rosterSortKeys(digest)));
  }

  async saveRoster(digest: string, roster: readonly RosterEntry[]): Promise<void> {
    for (const item of rosterItems(digest, roster)) await this.#items.put(item);
  }

  async keepRosters(digests: readonly string[]): Promise<void> {
    const kept = new Set(digests);
    const rosters = await this.#sortKeys(rosterSortKeys());
    await this.#items.discard(rosters.filter((sk) => !kept.has(digestOfRoster(sk))));
    const standing = this.#standing;
    if (standing === undefined) return;
    // Of sweeps that were killed while they saved a large state: no state names their parts, or ever will.
    const parts = await this.#sortKeys(statePartSortKeys());
    await this.#items.discard(
      parts.filter(
        (sk) => versionOfStatePart(sk) <= standing.version && !sk.startsWith(statePartSortKeys(standing.writeId)),
      ),
    );
  }

  async forgetRequested(keys: readonly OccurrenceKey[]): Promise<void> {
    for (const key of keys) await this.#items.delete(requestSortKey(key));
  }

  async #place() {
    const items: Item[] = [];
    for await (const page of this.#items.pages('#sk BETWEEN :first AND :last', {
      ExpressionAttributeValues: { ':first': { S: STATE_SORT_KEY }, ':last': { S: LAST_REQUEST_SORT_KEY } },
      Limit: 1 + MOST_REQUESTS,
    })) {
      items.push(...page);
      if (items.length > MOST_REQUESTS) break;
    }
    const found = items[0]?.sk?.S === STATE_SORT_KEY ? items.shift() : undefined;
    return { found, requested: items.slice(0, MOST_REQUESTS).map(({ sk }) => readRequestSortKey(sk?.S ?? '')) };
  }

  /** Undefined when one of them is gone. */
  async #loadParts(write: StoredWrite): Promise<Uint8Array[] | undefined> {
    if (write.parts === 0) return [];
    const items = await this.#items.withPrefix(statePartSortKeys(write.writeId));
    const found = new Map(items.map(({ sk, part }) => [sk?.S, part?.B]));
    const parts = partKeys(write).flatMap((key) => found.get(key) ?? []);
    return parts.length === write.parts ? parts : undefined;
  }

  async #sortKeys(prefix: string): Promise<string[]> {
    return (await this.#items.withPrefix(prefix, '#pk, #sk')).map(({ sk }) => sk?.S ?? '');
  }
}

function partKeys({ writeId, parts }: StoredWrite): string[] {
  return Array.from({ length: parts }, (_, index) => statePartSortKey(writeId, index));
}
