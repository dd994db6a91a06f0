const MOST_ITEMS = 500;
const LONGEST = 16 * 1024;

/** The JSON of the items that were written or read last, by their storage key: most are asked for again within a minute. */
export class RecentItems {
  /** The one that was used longest ago first. */
  readonly #items = new Map<string, string>();

  get(key: string): string | undefined {
    const json = this.#items.get(key);
    if (json !== undefined) this.set(key, json);
    return json;
  }

  set(key: string, json: string): void {
    this.#items.delete(key);
    if (json.length > LONGEST) return;
    this.#items.set(key, json);
    if (this.#items.size <= MOST_ITEMS) return;
    const [oldest] = this.#items.keys();
    if (oldest !== undefined) this.#items.delete(oldest);
  }

  delete(key: string): void {
    this.#items.delete(key);
  }

  clear(): void {
    this.#items.clear();
  }
}
