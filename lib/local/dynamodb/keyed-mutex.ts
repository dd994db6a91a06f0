/** Lets one holder at a time have each key. Those who want several get them all at once, in the order they asked. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>();

  async hold<Result>(keys: readonly string[], action: () => Promise<Result>): Promise<Result> {
    const wanted = [...new Set(keys)];
    const before = wanted.flatMap((key) => this.#tails.get(key) ?? []);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Queuing for all keys in one turn of the event loop keeps two holders from waiting for each other.
    const tail = before.length === 0 ? held : Promise.all([...before, held]).then(() => {});
    for (const key of wanted) this.#tails.set(key, tail);
    try {
      if (before.length > 0) await Promise.all(before);
      return await action();
    } finally {
      release();
      for (const key of wanted) if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}
