import type { LevelIterator } from 'dynalite/db/index.js';

/** How many are fetched from LevelDB together. */
const AT_ONCE = 500;

/** What an iterator of LevelDB gives, some at a time; it is closed whenever the reader ends. */
export async function* piecewise<Entry>(iterator: LevelIterator<Entry>): AsyncGenerator<Entry> {
  try {
    // Fewer than were asked for are no sign of the end: LevelDB hands over some kilobytes at once at most.
    for (let some = await iterator.nextv(AT_ONCE); some.length > 0; some = await iterator.nextv(AT_ONCE)) yield* some;
  } finally {
    // Nobody has to wait for that.
    iterator.close().catch(() => {});
  }
}
