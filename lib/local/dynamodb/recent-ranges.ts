import type { BatchOperation, KeyRange } from 'dynalite/db/index.js';

const MOST_RANGES = 50;
const MOST_KEYS = 20;

type Bounds = Pick<KeyRange, 'gt' | 'gte' | 'lt' | 'lte'>;

interface Known {
  readonly bounds: Bounds;
  /** All that there are, in order. */
  readonly keys: ReadonlySet<string>;
}

/** Which keys are in the short ranges that were read last: the same ones are asked for every minute, and seldom change. */
export class RecentRanges {
  /** The one that was used longest ago first. */
  readonly #known = new Map<string, Known>();
  #writes = 0;

  get(bounds: Bounds): readonly string[] | undefined {
    const name = nameOf(bounds);
    const known = this.#known.get(name);
    if (known === undefined) return undefined;
    this.#known.delete(name);
    this.#known.set(name, known);
    return [...known.keys];
  }

  /** Call it before a range is read. Returns how to tell what was found, all of it; no use if something was written meanwhile. */
  reading(bounds: Bounds): (keys: readonly string[]) => void {
    const writes = this.#writes;
    return (keys) => {
      if (writes !== this.#writes || keys.length > MOST_KEYS) return;
      this.#known.set(nameOf(bounds), { bounds, keys: new Set(keys) });
      const [oldest] = this.#known.keys();
      if (this.#known.size > MOST_RANGES && oldest !== undefined) this.#known.delete(oldest);
    };
  }

  /** What was written: a range in which a key came or went is not known any more. */
  written(operations: readonly BatchOperation[]): void {
    this.#writes++;
    for (const { type, key } of operations) {
      for (const [name, { bounds, keys }] of this.#known) {
        if ((type === 'del') === keys.has(key) && isWithin(key, bounds)) this.#known.delete(name);
      }
    }
  }

  clear(): void {
    this.#writes++;
    this.#known.clear();
  }
}

function nameOf({ gt = '', gte = '', lt = '', lte = '' }: Bounds): string {
  return [gt, gte, lt, lte].join('\n');
}

/** As LevelDB compares keys: by their bytes. */
function isWithin(key: string, { gt, gte, lt, lte }: Bounds): boolean {
  return (
    (gt === undefined || compare(key, gt) > 0) &&
    (gte === undefined || compare(key, gte) >= 0) &&
    (lt === undefined || compare(key, lt) < 0) &&
    (lte === undefined || compare(key, lte) <= 0)
  );
}

function compare(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
