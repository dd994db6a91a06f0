import type { ConsoleChange } from './console-state.ts';

/** Remembers what the pages were told last, so that the same is not told again. */
export class Told {
  readonly #last = new Map<keyof ConsoleChange, string>();

  /** The change that this is, or none when it was told like this before. */
  unlessTold<Name extends keyof ConsoleChange>(
    name: Name,
    value: ConsoleChange[Name],
  ): Pick<ConsoleChange, Name> | object {
    const text = JSON.stringify(value);
    if (this.#last.get(name) === text) return {};
    this.#last.set(name, text);
    return { [name]: value };
  }
}
